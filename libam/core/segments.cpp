#include <libam/core/segments.hpp>

#include <libam/base/checked_copy.hpp>
#include <libam/base/error.hpp>
#include <libam/core/release_memory.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace am::detail::core {

using seam::capability;

// The best transport that has segments makes it, and it is registered with the others. Without such
// a transport any memory serves.
am_status segments::make(std::size_t bytes, void** address) {
  if (bytes == 0 || bytes > PTRDIFF_MAX)
    return base::fail(AM_ARGUMENT_SIZE, "a segment of {} bytes: it may have 1 to {}", bytes,
                      PTRDIFF_MAX);
  finish_frees();
  all_.reserve(all_.size() + 1);
  pending_free_.reserve(pending_free_.size() + all_.size() + 1);
  void* made = nullptr;
  bool tried = false;
  transports_.each_with(capability::segments, [&](seam::transport& t) {
    if (made != nullptr) return t.register_segment(made, bytes);
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
  pending_free_.push_back(*found);
  all_.erase(found);
  finish_frees();
}

bool segments::contains(const void* where, std::size_t bytes) const noexcept {
  return std::ranges::any_of(all_, [&](const own_segment& s) { return s.has(where, bytes); });
}

bool segments::pin(const void* where, std::size_t bytes) noexcept {
  if (bytes == 0) return false;
  for (own_segment& one : all_) {
    if (!one.has(where, bytes)) continue;
    ++one.pins;
    return true;
  }
  return false;
}

void segments::unpin(const void* where) noexcept {
  for (std::vector<own_segment>* const some : {&all_, &pending_free_})
    for (own_segment& one : *some)
      if (one.pins != 0 && one.has(where, 1)) {
        --one.pins;
        return;
      }
}

bool segments::write(void* where, const void* data, std::size_t bytes) const noexcept {
  if (bytes == 0) return true;
  if (!contains(where, bytes))
    return base::copy_checked(where, data, bytes) == base::copy_status::all;
  std::memcpy(where, data, bytes);
  return true;
}

void segments::finish_frees() noexcept {
  std::erase_if(pending_free_, [&](const own_segment& one) {
    bool is_reached = one.pins != 0;
    transports_.each([&](seam::transport& t) { is_reached |= t.deregister_segment(one.address); });
    if (!is_reached) release_segment(one);
    return !is_reached;
  });
}

void segments::release_segment(const own_segment& one) noexcept {
  bool by_transport = false;
  transports_.each_with(capability::segments, [&](seam::transport& t) {
    t.free_segment(one.address);
    by_transport = true;
  });
  if (!by_transport) ::munmap(one.address, one.bytes);
}

// A transport that has made them frees them when it ends.
void segments::release_all() noexcept {
  bool by_transport = false;
  transports_.each_with(capability::segments, [&](seam::transport&) { by_transport = true; });
  if (!by_transport)
    for (const std::vector<own_segment>* const some : {&all_, &pending_free_})
      for (const own_segment& one : *some) release_segment(one);
  free_containers(all_, pending_free_);
}

}  // namespace am::detail::core
