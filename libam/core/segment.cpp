// Memory of this rank that others reach directly where a transport can do that.
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/core/endpoint.hpp>

#include <sys/mman.h>

#include <algorithm>

namespace am::detail::core {

// The best transport that has segments makes it, and the others may reach it, too. Without such a
// transport any memory serves.
am_status endpoint::make_segment(std::size_t bytes, void** address) {
  if (!in_order()) return refuse("segment");
  if (bytes == 0 || bytes > PTRDIFF_MAX)
    return base::fail(AM_ARGUMENT_SIZE, "a segment of {} bytes: it may have 1 to {}", bytes,
                      PTRDIFF_MAX);
  free_abandoned();
  bulk_.segments.reserve(bulk_.segments.size() + 1);
  bulk_.abandoned.reserve(bulk_.abandoned.size() + bulk_.segments.size() + 1);
  void* made = nullptr;
  bool tried = false;
  for (const way& w : ways_) {
    if (w.transport == nullptr || !w.transport->can().has(seam::capability::segments)) continue;
    if (made != nullptr) {
      w.transport->adopt_segment(made, bytes);
      continue;
    }
    tried = true;
    made = w.transport->make_segment(bytes);
  }
  if (tried && made == nullptr) return AM_RESOURCE_SPACE;
  if (!tried) {
    made = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
      return base::fail(AM_RESOURCE_MEMORY, "a segment of {} bytes: {}", bytes,
                        std::strerror(errno));
  }
  bulk_.segments.push_back({static_cast<std::byte*>(made), bytes});
  *address = made;
  return AM_OK;
}

void endpoint::free_segment(void* address) noexcept {
  const auto found = std::ranges::find_if(
      bulk_.segments, [&](const own_segment& s) { return s.address == address; });
  if (found == bulk_.segments.end()) return;
  bulk_.abandoned.push_back(*found);
  bulk_.segments.erase(found);
  free_abandoned();
}

// The room of those may be needed.
void endpoint::wait_for_abandoned() noexcept {
  for (blocked here(shown_.doing); !bulk_.abandoned.empty();) wait_a_turn(here, "segment of all");
}

void endpoint::free_abandoned() noexcept {
  std::erase_if(bulk_.abandoned, [&](const own_segment& one) {
    const auto is_reached = [&](const way& w) {
      return w.transport != nullptr && w.transport->abandon_segment(one.address);
    };
    if (std::ranges::count_if(ways_, is_reached) != 0) return false;
    give_back(one);
    return true;
  });
}

void endpoint::give_back(const own_segment& one) noexcept {
  bool by_transport = false;
  for (const way& w : ways_) {
    if (w.transport == nullptr || !w.transport->can().has(seam::capability::segments)) continue;
    w.transport->free_segment(one.address);
    by_transport = true;
  }
  if (!by_transport) ::munmap(one.address, one.bytes);
}

// A transport that has made them gives them back when it ends.
void endpoint::give_back_segments() noexcept {
  const auto has_made = [](const way& w) {
    return w.transport != nullptr && w.transport->can().has(seam::capability::segments);
  };
  if (std::ranges::none_of(ways_, has_made))
    for (const own_segment& one : bulk_.segments) give_back(one);
  bulk_.segments.clear();
}

// Collective: everybody's word, by rank, 0 of the dead. A rank that has none to give takes part all
// the same.
am_status endpoint::tell_all(am_word mine, am_status so_far, std::vector<am_word>& all) {
  const std::string key = base::format("told.{}", told_++);
  std::vector<std::vector<std::byte>> blobs;
  const am_status status =
      exchange(key, std::as_bytes(std::span(&mine, 1)), so_far, blobs, true, AM_RESOURCE_SPACE);
  if (status != AM_OK) return status;
  all.assign(ranks_, 0);
  for (am_rank rank = 0; rank < ranks_; ++rank)
    std::copy_n(blobs[rank].data(), std::min(blobs[rank].size(), sizeof(am_word)),
                reinterpret_cast<std::byte*>(&all[rank]));
  return AM_OK;
}

}  // namespace am::detail::core
