#include <libam/base/error.hpp>
#include <libam/base/log.hpp>
#include <transports/ucx/announced_segments.hpp>

#include <set>
#include <string>
#include <utility>

namespace am::detail::ucx {

void* announced_segments::make(std::size_t bytes) noexcept {
  std::string why;
  void* const made = own_.make(bytes, why);
  if (made == nullptr) {
    (void)base::fail(AM_RESOURCE_SPACE, "a segment of {} bytes: {}", bytes, why);
    return nullptr;
  }
  tell_all(kind::segment, own_.announcement(made));
  return made;
}

void announced_segments::adopt(void* address, std::size_t bytes) noexcept {
  std::string why;
  if (own_.adopt(address, bytes, why)) return tell_all(kind::segment, own_.announcement(address));
  base::log(base::log_level::info, "ucx: a segment of {} bytes is reached by messages: {}", bytes,
            why);
}

bool announced_segments::abandon(void* address) noexcept {
  if (own_.has_adopted(address)) withdraw(address);
  return own_.is_reached(address);
}

void announced_segments::free(void* address) noexcept {
  if (own_.has_made(address)) withdraw(address);
}

// A peer that is lost in being told will not answer.
void announced_segments::withdraw(void* address) noexcept {
  tell_all(kind::no_segment, own_.announcement(address));
  std::set<am_rank> knowing;
  peers_.each([&](const channel& one) {
    if (one.is_open()) knowing.insert(one.peer);
  });
  own_.retire(address, std::move(knowing));
}

void announced_segments::announce_all(channel& to) {
  own_.each_announcement([&](std::span<const std::byte> one) { to.out.tell(kind::segment, one); });
}

void announced_segments::tell_all(kind what, std::span<const std::byte> announcement) {
  peers_.each([&](channel& one) {
    if (one.is_open()) one.out.tell(what, announcement);
  });
}

}  // namespace am::detail::ucx
