#include <transports/shm/remote_memory.hpp>

#include <libam/base/cache_line.hpp>
#include <libam/base/checked_copy.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/base/process_state.hpp>
#include <transports/shm/copy.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace am::detail::shm {

using seam::transfer_status;

remote_memory::remote_memory(base::shared_memory& memory, const layout& layout, am_rank peer,
                             base::bulk_method method) noexcept
    : memory_(memory),
      directory_(object_at<segment_directory>(memory, layout.directory_at(peer))),
      peer_block_(object_at<control_block>(memory, layout.control_block_at(peer))),
      peer_(peer),
      first_(layout.segments_at(peer)),
      method_(method) {}

remote_memory::~remote_memory() {
  for (const peer_segment& segment : known_segments_) ::munmap(segment.here, segment.bytes);
}

std::byte* remote_memory::mapped(const void* there, std::size_t bytes) noexcept {
  if (method_ != base::bulk_method::automatic && method_ != base::bulk_method::map) return nullptr;
  // SYNC(segment): with the release in segments::write.
  if (directory_.version.load(std::memory_order_acquire) != version_) read_directory();
  const auto address = reinterpret_cast<std::uintptr_t>(there);
  const auto holds = [&](const peer_segment& segment) {
    return address >= segment.address && address - segment.address <= segment.bytes &&
           bytes <= segment.bytes - (address - segment.address);
  };
  if (last_found_ >= known_segments_.size() || !holds(known_segments_[last_found_])) {
    const auto found = std::ranges::find_if(known_segments_, holds);
    if (found == known_segments_.end()) return nullptr;
    last_found_ = static_cast<std::size_t>(found - known_segments_.begin());
  }
  return known_segments_[last_found_].here + (address - known_segments_[last_found_].address);
}

// Reads the directory again, keeps the segments that are mapped already, and maps new ones. If the
// peer was stopped while it wrote the directory, this does not wait: the kernel copies, or the
// bytes go in pieces.
void remote_memory::read_directory() noexcept {
  std::vector<peer_segment> now;
  std::uint32_t version = 0;
  unsigned tries = 0;
  do {
    if (++tries > most_tries) return;
    now.clear();
    // SYNC(segment): with the release in segments::write.
    version = directory_.version.load(std::memory_order_acquire);
    for (const segment_entry& entry : directory_.entries) {
      // SYNC(segment entry): with the releases in segments::write. The second load of the version
      // follows these loads and sees the change that wrote their values.
      const std::uint64_t bytes = entry.bytes.load(std::memory_order_acquire);
      const peer_segment read{entry.address.load(std::memory_order_acquire), bytes,
                              entry.offset.load(std::memory_order_acquire), nullptr};
      if (bytes != 0) now.push_back(read);
    }
    // SYNC(segment): with the release in segments::write.
  } while (version % 2 != 0 || directory_.version.load(std::memory_order_acquire) != version);
  version_ = version;

  std::erase_if(known_segments_, [&](const peer_segment& old) {
    const auto same = std::ranges::find_if(now, [&](const peer_segment& n) {
      return n.address == old.address && n.bytes == old.bytes && n.offset == old.offset;
    });
    if (same == now.end()) return ::munmap(old.here, old.bytes), true;
    now.erase(same);
    return false;
  });
  for (peer_segment& fresh : now) {
    if (!in_segment_room(fresh)) continue;
    fresh.here = memory_.map_part(fresh.offset, fresh.bytes);
    if (fresh.here != nullptr) known_segments_.push_back(fresh);
  }
}

// Elsewhere the memory belongs to other ranks, or to this rank itself.
bool remote_memory::in_segment_room(const peer_segment& segment) const noexcept {
  const std::size_t end = std::min(memory_.total_bytes(), first_ + segment_room);
  return segment.address % page == 0 && segment.offset % page == 0 && segment.offset >= first_ &&
         segment.offset < end && segment.bytes <= end - segment.offset;
}

// In another pid namespace the same number may belong to another process.
bool remote_memory::is_peer_process(pid_t pid) const noexcept {
  std::uint64_t read = 0;
  const auto* there = reinterpret_cast<const void*>(peer_block_.token_address);
  return base::copy_from_process(pid, &read, there, sizeof read) == base::copy_status::all &&
         read == peer_block_.token;
}

bool remote_memory::is_gone() const noexcept {
  const auto there = base::read_once(peer_block_.pid_namespace);
  return there != 0 && there == base::pid_namespace() &&
         base::is_gone(base::read_once(peer_block_.pid));
}

std::string remote_memory::describe_process() const {
  const pid_t pid = base::read_once(peer_block_.pid);
  if (!is_peer_process(pid)) return {};
  return base::format("pid {} {}", pid, base::process_state(pid));
}

// The pid is read and tested once: a control block that later names another process, or this
// process itself, would make this rank write to the wrong memory.
bool remote_memory::can_kernel_copy() noexcept {
  if (method_ != base::bulk_method::automatic && method_ != base::bulk_method::cma) return false;
  if (kernel_copy_ == kernel_copy::untried) {
    pid_ = base::read_once(peer_block_.pid);
    const bool good = pid_ != ::getpid() && is_peer_process(pid_);
    kernel_copy_ = good ? kernel_copy::works : kernel_copy::refused;
    if (!good)
      base::log(base::log_level::info,
                "shm: the memory of rank {} (pid {}) cannot be read from here: bulk data outside "
                "segments goes in pieces",
                peer_, pid_);
  }
  return kernel_copy_ == kernel_copy::works;
}

transfer_status remote_memory::put(void* there, const void* data, std::size_t bytes) noexcept {
  if (std::byte* const here = mapped(there, bytes); here != nullptr) {
    copy(here, data, bytes);
    return transfer_status::done;
  }
  if (!can_kernel_copy()) return transfer_status::unsupported;
  switch (base::copy_to_process(pid_, there, data, bytes)) {
    case base::copy_status::all: return transfer_status::done;
    case base::copy_status::bad_remote_address: return transfer_status::bad_remote_address;
    case base::copy_status::bad_local_address: return transfer_status::bad_local_address;
    case base::copy_status::forbidden: break;
  }
  kernel_copy_ = kernel_copy::refused;
  return transfer_status::unsupported;
}

transfer_status remote_memory::get(const void* there, void* to, std::size_t bytes) noexcept {
  if (const std::byte* const here = mapped(there, bytes); here != nullptr) {
    copy(to, here, bytes);
    return transfer_status::done;
  }
  if (!can_kernel_copy()) return transfer_status::unsupported;
  switch (base::copy_from_process(pid_, to, there, bytes)) {
    case base::copy_status::all: return transfer_status::done;
    case base::copy_status::bad_remote_address: return transfer_status::bad_remote_address;
    case base::copy_status::bad_local_address: return transfer_status::bad_local_address;
    case base::copy_status::forbidden: break;
  }
  kernel_copy_ = kernel_copy::refused;
  return transfer_status::unsupported;
}

}  // namespace am::detail::shm
