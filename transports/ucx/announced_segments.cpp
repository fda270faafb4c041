#include <transports/ucx/announced_segments.hpp>

#include <libam/base/error.hpp>
#include <libam/base/log.hpp>

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
  announce_to_all(kind::segment, own_.announcement(made));
  return made;
}

void announced_segments::register_memory(void* address, std::size_t bytes) noexcept {
  std::string why;
  if (own_.register_memory(address, bytes, why))
    return announce_to_all(kind::segment, own_.announcement(address));
  base::log(base::log_level::info, "ucx: a segment of {} bytes is reached by messages: {}", bytes,
            why);
}

bool announced_segments::deregister(void* address) noexcept {
  if (own_.is_registered(address)) withdraw(address);
  return own_.is_reachable(address);
}

void announced_segments::free(void* address) noexcept {
  if (own_.is_allocated(address)) withdraw(address);
}

// A peer that is lost while it is notified will not answer, so key_holders are found afterwards.
void announced_segments::withdraw(void* address) noexcept {
  announce_to_all(kind::segment_withdrawn, own_.announcement(address));
  std::set<am_rank> key_holders;
  peers_.for_each([&](const channel& one) {
    if (one.is_open()) key_holders.insert(one.peer);
  });
  own_.retire(address, std::move(key_holders));
}

void announced_segments::announce_all(channel& to) {
  own_.each_announcement(
      [&](std::span<const std::byte> one) { to.out.send_control(kind::segment, one); });
}

void announced_segments::announce_to_all(kind what, std::span<const std::byte> announcement) {
  peers_.for_each([&](channel& one) {
    if (one.is_open()) one.out.send_control(what, announcement);
  });
}

}  // namespace am::detail::ucx
