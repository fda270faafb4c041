#include <libam/base/checked_copy.hpp>
#include <libam/base/error.hpp>
#include <libam/core/give_back.hpp>
#include <libam/core/segments.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace am::detail::core {

using seam::capability;

// The best transport that has segments makes it, and the others may reach it, too. Without such a
// transport any memory serves.
am_status segments::make(std::size_t bytes, void** address) {
  if (bytes == 0 || bytes > PTRDIFF_MAX)
    return base::fail(AM_ARGUMENT_SIZE, "a segment of {} bytes: it may have 1 to {}", bytes,
                      PTRDIFF_MAX);
  free_abandoned();
  all_.reserve(all_.size() + 1);
  abandoned_.reserve(abandoned_.size() + all_.size() + 1);
  void* made = nullptr;
  bool tried = false;
  transports_.each_with(capability::segments, [&](seam::transport& t) {
    if (made != nullptr) return t.adopt_segment(made, bytes);
    tried = true;
    made = t.make_segment(bytes);
  });
  if (tried && made == nullptr) return AM_RESOURCE_SPACE;
  if (!tried) {
    made = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
      return base::fail(AM_RESOURCE_MEMORY, "a segment of {} bytes: {}", bytes,
                        std::strerror(errno));
  }
  all_.push_back({static_cast<std::byte*>(made), bytes});
  *address = made;
  return AM_OK;
}

void segments::free(void* address) noexcept {
  const auto found = std::ranges::find(all_, address, &own_segment::address);
  if (found == all_.end()) return;
  abandoned_.push_back(*found);
  all_.erase(found);
  free_abandoned();
}

bool segments::own(const void* where, std::size_t bytes) const noexcept {
  return std::ranges::any_of(all_, [&](const own_segment& s) { return s.has(where, bytes); });
}

bool segments::lend(const void* where, std::size_t bytes) noexcept {
  if (bytes == 0) return false;
  for (own_segment& one : all_) {
    if (!one.has(where, bytes)) continue;
    ++one.loans;
    return true;
  }
  return false;
}

void segments::end_loan(const void* where) noexcept {
  for (std::vector<own_segment>* const some : {&all_, &abandoned_})
    for (own_segment& one : *some)
      if (one.loans != 0 && one.has(where, 1)) {
        --one.loans;
        return;
      }
}

bool segments::write(void* where, const void* data, std::size_t bytes) const noexcept {
  if (bytes == 0) return true;
  if (!own(where, bytes)) return base::copy_checked(where, data, bytes) == base::copied::all;
  std::memcpy(where, data, bytes);
  return true;
}

void segments::free_abandoned() noexcept {
  std::erase_if(abandoned_, [&](const own_segment& one) {
    bool is_reached = one.loans != 0;
    transports_.each([&](seam::transport& t) { is_reached |= t.abandon_segment(one.address); });
    if (!is_reached) give_back(one);
    return !is_reached;
  });
}

void segments::give_back(const own_segment& one) noexcept {
  bool by_transport = false;
  transports_.each_with(capability::segments, [&](seam::transport& t) {
    t.free_segment(one.address);
    by_transport = true;
  });
  if (!by_transport) ::munmap(one.address, one.bytes);
}

// A transport that has made them gives them back when it ends.
void segments::give_back_all() noexcept {
  bool by_transport = false;
  transports_.each_with(capability::segments, [&](seam::transport&) { by_transport = true; });
  if (!by_transport)
    for (const std::vector<own_segment>* const some : {&all_, &abandoned_})
      for (const own_segment& one : *some) give_back(one);
  give_back_room(all_, abandoned_);
}

}  // namespace am::detail::core
