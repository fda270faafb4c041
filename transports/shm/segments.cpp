#include <transports/shm/segments.hpp>

#include <libam/base/error.hpp>

#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <new>
#include <vector>

namespace am::detail::shm {

segments::segments(base::shared_memory& memory, const layout& layout, am_rank rank) noexcept
    : memory_(memory),
      directory_(object_at<segment_directory>(memory, layout.directory_at(rank))),
      first_(layout.segments_at(rank)),
      kept_for_messages_(layout.message_bytes()) {}

segments::~segments() {
  while (!own_parts_.empty()) destroy(own_parts_.begin()->first);
}

// The lowest offset with `bytes` free bytes between segments.
std::size_t segments::free_offset(std::size_t bytes) const noexcept {
  std::vector<std::pair<std::size_t, std::size_t>> taken;
  for (const auto& [address, where] : own_parts_) taken.emplace_back(where.offset, where.bytes);
  std::sort(taken.begin(), taken.end());
  std::size_t at = first_;
  for (const auto& [offset, length] : taken) {
    if (offset - at >= bytes) break;
    at = offset + length;
  }
  return at;
}

// A reader that finds the version odd, or changed afterwards, reads again.
void segments::write(segment_entry& entry, const void* address, const part& where) noexcept {
  const std::uint32_t version = directory_.version.load(std::memory_order_relaxed);
  directory_.version.store(version + 1, std::memory_order_relaxed);
  // SYNC(segment entry): with the acquires in remote_memory::read_directory. A reader of one of
  // these sees the odd version too.
  entry.address.store(reinterpret_cast<std::uintptr_t>(address), std::memory_order_release);
  entry.offset.store(where.offset, std::memory_order_release);
  entry.bytes.store(where.bytes, std::memory_order_release);
  // SYNC(segment): with the acquires in remote_memory::mapped and read_directory. The entry is
  // complete.
  directory_.version.store(version + 2, std::memory_order_release);
}

bool segments::check_size(std::size_t bytes) const noexcept {
  // A request for more memory than there is may make the kernel end processes before it fails.
  struct sysinfo machine {};
  ::sysinfo(&machine);
  const std::size_t most =
      std::min(segment_room, static_cast<std::size_t>(machine.totalram) * machine.mem_unit);
  const std::size_t room = memory_.available();
  if (bytes == 0 || bytes > most)
    base::fail(AM_RESOURCE_SPACE, "a segment of {} bytes: this machine has {}", bytes, most);
  else if (first_ >= memory_.total_bytes())
    base::fail(AM_RESOURCE_SPACE,
               "a segment of {} bytes: this job has no room for segments, because files may not be "
               "large here (see `ulimit -f`)",
               bytes);
  else if (room < kept_for_messages_ || bytes > room - kept_for_messages_)
    base::fail(AM_RESOURCE_SPACE,
               "a segment of {} bytes: shared memory has {} left, of which messages may need {}",
               bytes, room, kept_for_messages_);
  else
    return true;
  return false;
}

void* segments::create(std::size_t bytes) noexcept try {
  if (!check_size(bytes)) return nullptr;
  const auto entry = std::ranges::find_if(directory_.entries, [](const segment_entry& e) {
    return e.bytes.load(std::memory_order_relaxed) == 0;
  });
  if (entry == std::end(directory_.entries)) {
    base::fail(AM_RESOURCE_SPACE,
               "this rank has {} segments, as many as it may have: destroy one first",
               most_segments);
    return nullptr;
  }
  part where{0, (bytes + page - 1) / page * page, &*entry};
  where.offset = free_offset(where.bytes);
  if (where.offset + where.bytes > first_ + segment_room) {
    base::fail(AM_RESOURCE_SPACE, "a segment of {} bytes: no room of that size between the others",
               bytes);
    return nullptr;
  }
  if (memory_.reserve(where.offset, where.bytes) != AM_OK) return nullptr;
  std::byte* const at = memory_.map_part(where.offset, where.bytes);
  if (at == nullptr) {
    memory_.release(where.offset, where.bytes);
    base::fail(AM_RESOURCE_MEMORY, "a segment of {} bytes: no address space (see `ulimit -v`)",
               bytes);
    return nullptr;
  }
  own_parts_.emplace(at, where);
  write(*entry, at, where);
  return at;
} catch (const std::bad_alloc&) {
  base::fail(AM_RESOURCE_MEMORY, "a segment of {} bytes: out of memory", bytes);
  return nullptr;
}

void segments::destroy(void* address) noexcept {
  const auto found = own_parts_.find(address);
  if (found == own_parts_.end()) return;
  const part where = found->second;
  write(*where.entry, nullptr, {0, 0, nullptr});
  ::munmap(address, where.bytes);
  memory_.release(where.offset, where.bytes);
  own_parts_.erase(found);
}

}  // namespace am::detail::shm
