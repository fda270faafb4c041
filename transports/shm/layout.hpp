// Where everything lies in the memory that the ranks of one host share. Every rank owns a region. A
// rank that sends to another makes a channel for the pair in its own region. Pages are reserved at
// first contact, when a ring grows, and with the first payload or answer; until then they are
// address space.
//
//   region of rank r:   control block | directory of segments | channel r->0 | channel r->1 | …
//   channel a->b:       state | requests a->b | replies b->a | payload a->b | answers b->a
//   after all regions:  segments of rank 0 | segments of rank 1 | …
#pragma once

#include <am/types.h>
#include <libam/base/shared_memory.hpp>
#include <libam/base/wakeup.hpp>
#include <libam/wire/payload_sizes.hpp>
#include <transports/shm/slot.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace am::detail::shm {

inline constexpr std::size_t page = 4096;
inline constexpr std::uint32_t first_slots = 64;

// Where peers signal a rank: the only cache lines of its region that many ranks write.
struct control_block {
  // Bit r % 62: rank r has written to a ring that was quiet. Bit 62: a rank has died. Bit 63: there
  // are new senders.
  alignas(base::cache_line_pair_bytes) std::atomic<std::uint64_t> attention;
  // The rank, plus one, that last made a channel to this one; next_new_sender leads to the others.
  std::atomic<std::uint32_t> new_senders;
  // Not 0: this rank's process passes the barriers of others, so the rings that it writes may go
  // quiet.
  std::atomic<std::uint32_t> membarrier_registered;
  // For peers that read this rank's memory: its process, and the value and address of a word there
  // by which they know the process.
  std::int32_t pid;
  std::uint64_t pid_namespace;  // in which that is its pid; 0: unknown
  std::uint64_t token;
  std::uint64_t token_address;
  // Not 0: this rank sleeps. The peer that clears this wakes it.
  std::atomic<std::uint32_t> asleep;
  base::wakeup::name wakeup;  // written before any peer signals
  // Not 0: this rank has died. Written by the launcher, or by a rank's exit_watcher.
  std::atomic<std::uint64_t> exit_report;
};
inline constexpr std::uint64_t new_senders_bit = 1ULL << 63;
inline constexpr std::uint64_t deaths_bit = 1ULL << 62;
inline constexpr std::uint64_t attention_bit(am_rank rank) noexcept { return 1ULL << (rank % 62); }

// A segment of a rank: its address in the rank's process and its place in the job's memory.
struct segment_entry {
  std::atomic<std::uint64_t> address;
  std::atomic<std::uint64_t> bytes;  // 0: this entry is free
  std::atomic<std::uint64_t> offset;
};
inline constexpr std::size_t most_segments = 336;

// Written by its rank alone, read by all. `version` is odd while it changes.
struct segment_directory {
  alignas(base::cache_line_pair_bytes) std::atomic<std::uint32_t> version;
  alignas(base::cache_line_bytes) segment_entry entries[most_segments];
};

// Address space in the file for the segments of one rank.
inline constexpr std::size_t segment_room = std::size_t{1} << 40;

// The counters and marks of a channel. Each pair of cache lines has one writer. The quiet marks are
// read after every message and the pauses written after every lone one: if they shared a cache
// line, a lone message would cost its sender a transfer of it.
struct channel_state {
  // Written by the target.
  alignas(base::cache_line_pair_bytes) std::atomic<std::uint32_t> silent;
  std::atomic<std::uint32_t> payload_done;
  std::atomic<std::uint32_t> requests_quiet;  // the target does not check its ring: signal it
  // Changes when the target stops replying for now.
  alignas(base::cache_line_pair_bytes) std::atomic<std::uint32_t> replies_paused;
  // Written by the requester.
  alignas(base::cache_line_pair_bytes) std::atomic<std::uint32_t> replies_quiet;
  // Changes when the requester stops sending for now.
  alignas(base::cache_line_pair_bytes) std::atomic<std::uint32_t> requests_paused;
  std::uint32_t next_new_sender;
  // Written by the target, read when it has died: the slot, plus one, of the request whose handler
  // began last.
  alignas(base::cache_line_pair_bytes) std::atomic<std::uint32_t> begun;
};

// Sizes and offsets for a job of `ranks` with at most `slots` slots to a ring.
class layout {
 public:
  constexpr layout(am_rank ranks, std::uint32_t slots,
                   wire::payload_sizes payloads = wire::payload_sizes()) noexcept
      : ranks_(ranks), slots_(slots), payloads_(payloads) {}

  [[nodiscard]] constexpr std::uint32_t start_slots() const noexcept {
    return std::min(slots_, first_slots);
  }
  [[nodiscard]] constexpr std::uint32_t most_slots() const noexcept { return slots_; }
  [[nodiscard]] constexpr wire::payload_sizes payloads() const noexcept { return payloads_; }

  [[nodiscard]] constexpr std::size_t ring_bytes() const noexcept {
    return whole_pages(slots_ * sizeof(slot));
  }
  [[nodiscard]] constexpr std::size_t channel_bytes() const noexcept {
    return page + 2 * ring_bytes() + payloads_.most_room() + payloads_.most_answer_room();
  }
  [[nodiscard]] constexpr std::size_t region_bytes() const noexcept {
    return page + directory_bytes() + ranks_ * channel_bytes();
  }
  [[nodiscard]] constexpr std::size_t directory_bytes() const noexcept {
    return whole_pages(sizeof(segment_directory));
  }
  // What every rank maps when it joins, and that with the room for segments, which are mapped
  // singly.
  [[nodiscard]] constexpr std::size_t job_bytes() const noexcept { return ranks_ * region_bytes(); }
  [[nodiscard]] constexpr std::size_t file_bytes() const noexcept {
    return job_bytes() + ranks_ * segment_room;
  }

  // What first contact and the first payload between all pairs take, twice: the kernel and the
  // ranks need as much beside it. Segments and growing rings leave that much free.
  [[nodiscard]] constexpr std::size_t message_bytes() const noexcept {
    return 2 * std::size_t{ranks_} * ranks_ * (fresh_channel_bytes() + payloads_.room());
  }

  // Offsets into the job's memory.
  [[nodiscard]] constexpr std::size_t control_block_at(am_rank rank) const noexcept {
    return rank * region_bytes();
  }
  [[nodiscard]] constexpr std::size_t directory_at(am_rank rank) const noexcept {
    return control_block_at(rank) + page;
  }
  [[nodiscard]] constexpr std::size_t segments_at(am_rank rank) const noexcept {
    return job_bytes() + rank * segment_room;
  }
  [[nodiscard]] constexpr std::size_t channel_at(am_rank from, am_rank to) const noexcept {
    return directory_at(from) + directory_bytes() + to * channel_bytes();
  }
  [[nodiscard]] constexpr std::size_t requests_at(am_rank from, am_rank to) const noexcept {
    return channel_at(from, to) + page;
  }
  [[nodiscard]] constexpr std::size_t replies_at(am_rank from, am_rank to) const noexcept {
    return requests_at(from, to) + ring_bytes();
  }
  [[nodiscard]] constexpr std::size_t payload_at(am_rank from, am_rank to) const noexcept {
    return replies_at(from, to) + ring_bytes();
  }
  // The room for answers of `to` to requests of `from`.
  [[nodiscard]] constexpr std::size_t answers_at(am_rank from, am_rank to) const noexcept {
    return payload_at(from, to) + payloads_.most_room();
  }

  // Pages that exist: of a ring at first, and of a channel before it has grown or carried payload.
  [[nodiscard]] constexpr std::size_t start_ring_bytes() const noexcept {
    return whole_pages(start_slots() * sizeof(slot));
  }
  [[nodiscard]] constexpr std::size_t fresh_channel_bytes() const noexcept {
    return page + 2 * start_ring_bytes();
  }

 private:
  static constexpr std::size_t whole_pages(std::size_t bytes) noexcept {
    return (bytes + page - 1) / page * page;
  }

  am_rank ranks_;
  std::uint32_t slots_;
  wire::payload_sizes payloads_;
};

// An object at its offset in the job's memory. Fresh pages are zero, which is a valid initial state
// of every object there.
template <class Object>
Object& object_at(const base::shared_memory& memory, std::size_t offset) noexcept {
  return *reinterpret_cast<Object*>(memory.data() + offset);
}

static_assert(sizeof(control_block) <= page && sizeof(channel_state) <= page);
static_assert(sizeof(segment_directory) <= 2 * page);

}  // namespace am::detail::shm
