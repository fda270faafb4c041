#include <mpidial/lanes.hpp>

#include <libam/base/error.hpp>
#include <libam/base/fd.hpp>
#include <libam/base/format.hpp>
#include <libam/base/hash.hpp>
#include <libam/base/process_state.hpp>
#include <mpidial/refuse.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <utility>

namespace am::detail::mpidial {

namespace {

std::uint64_t this_boot() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return base::hash_of(id);
}

std::size_t bytes_for(std::size_t processes) noexcept { return processes * sizeof(lane_memory); }

}  // namespace

lanes_place lanes::make(int size, std::string& problem) {
  base::fd fresh;
  const lanes_place nowhere{this_boot(), base::pid_namespace(), ::getpid(), -1};
  am_status status = base::shared_memory::create(fresh);
  lanes_place here = nowhere;
  here.descriptor = fresh.get();
  const std::size_t bytes = bytes_for(static_cast<std::size_t>(size));
  if (status == AM_OK) status = own_.map(std::move(fresh), bytes);
  // What is read before anything is written: the first entries.
  for (int from = 0; status == AM_OK && from < size; ++from)
    status = own_.reserve(bytes_for(static_cast<std::size_t>(from)),
                          offsetof(lane_memory, entries) + sizeof(lane_entry));
  if (status == AM_OK) return here;
  problem = base::error_text();
  return nowhere;
}

void lanes::open(const std::vector<lanes_place>& all, int rank, std::string& problem) {
  rank_ = rank;
  to_.resize(all.size());
  for (std::size_t other = 0; other < all.size(); ++other) {
    if (static_cast<int>(other) == rank) continue;
    const std::string path = base::format("/proc/{}/fd/{}", all[other].pid, all[other].descriptor);
    base::fd memory(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!memory.valid()) {
      problem = base::format("the stamps of rank {}: {}: {}", other, path, base::errno_text(errno));
      return;
    }
    if (to_[other].memory.map(std::move(memory), bytes_for(all.size())) != AM_OK) {
      problem = base::error_text();
      return;
    }
    to_[other].writer = lane_writer(lane_of(to_[other].memory, rank));
  }
}

bool lanes::add(int rank, entry_kind kind, const stamp& of) {
  lane_to& to = to_[static_cast<std::size_t>(rank)];
  const std::size_t entry = to.writer.next_chunk();
  if (entry != lane_entries) reserve(to, entry);
  return to.writer.add(kind, of);
}

// Also what the reader looks at behind the last entry: the first one of the next chunk.
void lanes::reserve(lane_to& to, std::size_t entry) {
  const std::size_t offset = bytes_for(static_cast<std::size_t>(rank_)) +
                             offsetof(lane_memory, entries) + entry * sizeof(lane_entry);
  const std::size_t wanted =
      entry + chunk_entries < lane_entries ? chunk_entries + 1 : chunk_entries;
  if (to.memory.reserve(offset, wanted * sizeof(lane_entry)) != AM_OK)
    give_up(base::format("no memory for the stamps of messages: {}", base::error_text()));
  to.writer.has_pages();
}

}  // namespace am::detail::mpidial
