#include <libam/base/cache_line.hpp>
#include <libam/base/checked_copy.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/base/process_state.hpp>
#include <transports/shm/copy.hpp>
#include <transports/shm/places.hpp>
#include <transports/shm/remote_memory.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace am::detail::shm {

using seam::reach;

remote_memory::remote_memory(base::shared_memory& memory, const layout& places, am_rank peer,
                             base::bulk_way forced) noexcept
    : memory_(memory),
      directory_(object_at<segment_directory>(memory, places.directory_at(peer))),
      theirs_(object_at<doorstep>(memory, places.doorstep_at(peer))),
      peer_(peer),
      first_(places.segments_at(peer)),
      forced_(forced) {}

remote_memory::~remote_memory() {
  for (const known& segment : known_) ::munmap(segment.here, segment.bytes);
}

std::byte* remote_memory::mapped(const void* there, std::size_t bytes) noexcept {
  if (forced_ != base::bulk_way::automatic && forced_ != base::bulk_way::map) return nullptr;
  // SYNC(segment): with the release in segments::write.
  if (directory_.version.load(std::memory_order_acquire) != version_) follow();
  const auto address = reinterpret_cast<std::uintptr_t>(there);
  const auto holds = [&](const known& segment) {
    return address >= segment.address && address - segment.address <= segment.bytes &&
           bytes <= segment.bytes - (address - segment.address);
  };
  if (last_ >= known_.size() || !holds(known_[last_])) {
    const auto found = std::ranges::find_if(known_, holds);
    if (found == known_.end()) return nullptr;
    last_ = static_cast<std::size_t>(found - known_.begin());
  }
  return known_[last_].here + (address - known_[last_].address);
}

// Reads the directory anew, keeps what is mapped already, and maps what is new. A peer that was
// stopped while it wrote there is not waited for: its memory is reached in another way meanwhile.
void remote_memory::follow() noexcept {
  std::vector<known> now;
  std::uint32_t version = 0;
  unsigned tries = 0;
  do {
    if (++tries > most_tries) return;
    now.clear();
    // SYNC(segment): with the release in segments::write.
    version = directory_.version.load(std::memory_order_acquire);
    for (const segment_entry& entry : directory_.entries) {
      // SYNC(segment entry): with the releases in segments::write. The second look at the version
      // comes after these, and sees the change that made what they see.
      const std::uint64_t bytes = entry.bytes.load(std::memory_order_acquire);
      const known read{entry.address.load(std::memory_order_acquire), bytes,
                       entry.offset.load(std::memory_order_acquire), nullptr};
      if (bytes != 0) now.push_back(read);
    }
    // SYNC(segment): with the release in segments::write.
  } while (version % 2 != 0 || directory_.version.load(std::memory_order_acquire) != version);
  version_ = version;

  std::erase_if(known_, [&](const known& old) {
    const auto same = std::ranges::find_if(now, [&](const known& n) {
      return n.address == old.address && n.bytes == old.bytes && n.offset == old.offset;
    });
    if (same == now.end()) return ::munmap(old.here, old.bytes), true;
    now.erase(same);
    return false;
  });
  for (known& fresh : now) {
    if (!in_its_room(fresh)) continue;
    fresh.here = memory_.map_part(fresh.offset, fresh.bytes);
    if (fresh.here != nullptr) known_.push_back(fresh);
  }
}

// What a directory names elsewhere may belong to others, or to this rank itself.
bool remote_memory::in_its_room(const known& segment) const noexcept {
  const std::size_t end = std::min(memory_.whole(), first_ + segment_room);
  return segment.address % page == 0 && segment.offset % page == 0 && segment.offset >= first_ &&
         segment.offset < end && segment.bytes <= end - segment.offset;
}

// In another pid namespace the same number may be a stranger's.
bool remote_memory::is_its_process(pid_t pid) const noexcept {
  std::uint64_t read = 0;
  const auto* there = reinterpret_cast<const void*>(theirs_.token_at);
  return base::copy_from_process(pid, &read, there, sizeof read) == base::copied::all &&
         read == theirs_.token;
}

bool remote_memory::is_gone() const noexcept {
  const auto there = base::copied_once(theirs_.pid_namespace);
  return there != 0 && there == base::pid_namespace() &&
         base::is_gone(base::copied_once(theirs_.pid));
}

std::string remote_memory::about() const {
  const pid_t pid = base::copied_once(theirs_.pid);
  if (!is_its_process(pid)) return {};
  return base::format("pid {} {}", pid, base::process_state(pid));
}

// The process is asked for once, and tried: a doorstep that names another one later, or this
// process itself, would have strangers' memory written.
bool remote_memory::kernel_copies() noexcept {
  if (forced_ != base::bulk_way::automatic && forced_ != base::bulk_way::cma) return false;
  if (kernel_ == kernel::untried) {
    pid_ = base::copied_once(theirs_.pid);
    const bool good = pid_ != ::getpid() && is_its_process(pid_);
    kernel_ = good ? kernel::copies : kernel::refuses;
    if (!good)
      base::log(base::log_level::info,
                "shm: the memory of rank {} (pid {}) cannot be read from here: bulk data outside "
                "segments goes in pieces",
                peer_, pid_);
  }
  return kernel_ == kernel::copies;
}

reach remote_memory::put(void* there, const void* data, std::size_t bytes) noexcept {
  if (std::byte* const here = mapped(there, bytes); here != nullptr) {
    copy(here, data, bytes);
    return reach::done;
  }
  if (!kernel_copies()) return reach::no_way;
  switch (base::copy_to_process(pid_, there, data, bytes)) {
    case base::copied::all: return reach::done;
    case base::copied::bad_there: return reach::bad_address;
    case base::copied::bad_here: return reach::bad_here;
    case base::copied::forbidden: break;
  }
  kernel_ = kernel::refuses;
  return reach::no_way;
}

reach remote_memory::get(const void* there, void* to, std::size_t bytes) noexcept {
  if (const std::byte* const here = mapped(there, bytes); here != nullptr) {
    copy(to, here, bytes);
    return reach::done;
  }
  if (!kernel_copies()) return reach::no_way;
  switch (base::copy_from_process(pid_, to, there, bytes)) {
    case base::copied::all: return reach::done;
    case base::copied::bad_there: return reach::bad_address;
    case base::copied::bad_here: return reach::bad_here;
    case base::copied::forbidden: break;
  }
  kernel_ = kernel::refuses;
  return reach::no_way;
}

}  // namespace am::detail::shm
