// The memory of a job on one host, as a formula. Every rank owns a region; a rank that sends to
// another carves a channel for the pair out of its own region. All is address space until first
// contact, growth, payload or room for answers reserves the pages.
//
//   region of rank r:   doorstep | directory of segments | channel r->0 | channel r->1 | …
//   channel a->b:       lines | requests a->b | replies b->a | payload a->b | answers b->a
//   after all regions:  segments of rank 0 | segments of rank 1 | …
#pragma once

#include <am/types.h>
#include <libam/base/bell.hpp>
#include <libam/wire/payload_sizes.hpp>
#include <transports/shm/slot.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace am::detail::shm {

inline constexpr std::size_t page = 4096;
inline constexpr std::uint32_t first_slots = 64;

// Where others knock: the only lines of a rank that many write.
struct doorstep {
  // Bit r % 62: a peer of that number has found a quiet mark. Bit 62: somebody has died. Bit 63:
  // there are arrivals.
  alignas(base::line_pair) std::atomic<std::uint64_t> attention;
  // The newest rank that made a channel to this one, plus one; the others follow by next_arrival.
  std::atomic<std::uint32_t> arrivals;
  // Not 0: this rank's process passes the barriers of others, so that their rings may go quiet.
  std::atomic<std::uint32_t> passes_barriers;
  // For those who would read this rank's memory: its process, and a word there that tells whether
  // they do.
  std::int32_t pid;
  std::uint64_t pid_namespace;  // in which that is its pid; 0: nobody knows
  std::uint64_t token;
  std::uint64_t token_at;
  // Not 0: this rank sleeps. Whoever takes that back rings its bell.
  std::atomic<std::uint32_t> asleep;
  base::bell::name bell;  // written before anyone knocks
  // Not 0: this rank has died. Written by the launcher.
  std::atomic<std::uint64_t> obituary;
  // In the first doorstep: which memory this is, so that nobody takes it for that of another host.
  std::atomic<std::uint64_t> memory;
};
inline constexpr std::uint64_t arrivals_bit = 1ULL << 63;
inline constexpr std::uint64_t deaths_bit = 1ULL << 62;
inline constexpr std::uint64_t attention_bit(am_rank rank) noexcept { return 1ULL << (rank % 62); }

// A segment of a rank as others find it: where it stands in the rank's own memory and in the job's.
struct segment_entry {
  std::atomic<std::uint64_t> address;
  std::atomic<std::uint64_t> bytes;  // 0: this entry is free
  std::atomic<std::uint64_t> offset;
};
inline constexpr std::size_t most_segments = 336;

// Written by its rank alone, read by all. `version` is odd while it changes.
struct segment_directory {
  alignas(base::line_pair) std::atomic<std::uint32_t> version;
  alignas(base::line) segment_entry entries[most_segments];
};

// Address space in the file for the segments of one rank.
inline constexpr std::size_t segment_room = std::size_t{1} << 40;

// What the two ends of a channel tell each other beside messages. One writer for each line pair.
// The quiet marks are read after every message and the pauses written after every lone one: on one
// line, a lone message would cost its sender a transfer of it.
struct channel_lines {
  // Written by the target.
  alignas(base::line_pair) std::atomic<std::uint32_t> silent;
  std::atomic<std::uint32_t> payload_done;
  std::atomic<std::uint32_t> requests_quiet;  // the target has stopped looking: ring its doorstep
  // It changes when the target stops replying for now.
  alignas(base::line_pair) std::atomic<std::uint32_t> replies_paused;
  // Written by the requester.
  alignas(base::line_pair) std::atomic<std::uint32_t> replies_quiet;
  // It changes when the requester stops sending for now.
  alignas(base::line_pair) std::atomic<std::uint32_t> requests_paused;
  std::uint32_t next_arrival;
  // Written by the target, read when it has died: the slot, plus one, of the request whose handler
  // it has begun last.
  alignas(base::line_pair) std::atomic<std::uint32_t> begun;
};

// Sizes and places for a job of `ranks` with at most `slots` slots to a ring, and such payloads.
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
  // What every rank maps at once; and with the room for segments, of which each maps what it uses.
  [[nodiscard]] constexpr std::size_t job_bytes() const noexcept { return ranks_ * region_bytes(); }
  [[nodiscard]] constexpr std::size_t file_bytes() const noexcept {
    return job_bytes() + ranks_ * segment_room;
  }

  // What first contact and the first payload between all pairs take, and as much again for what the
  // kernel and the ranks themselves need for it. Segments and growing rings leave that.
  [[nodiscard]] constexpr std::size_t message_bytes() const noexcept {
    return 2 * std::size_t{ranks_} * ranks_ * (fresh_channel_bytes() + payloads_.room());
  }

  // Offsets into the job's memory.
  [[nodiscard]] constexpr std::size_t doorstep_at(am_rank rank) const noexcept {
    return rank * region_bytes();
  }
  [[nodiscard]] constexpr std::size_t directory_at(am_rank rank) const noexcept {
    return doorstep_at(rank) + page;
  }
  [[nodiscard]] constexpr std::size_t segments_at(am_rank rank) const noexcept {
    return job_bytes() + rank * segment_room;
  }
  [[nodiscard]] constexpr std::size_t lines_at(am_rank from, am_rank to) const noexcept {
    return directory_at(from) + directory_bytes() + to * channel_bytes();
  }
  [[nodiscard]] constexpr std::size_t requests_at(am_rank from, am_rank to) const noexcept {
    return lines_at(from, to) + page;
  }
  [[nodiscard]] constexpr std::size_t replies_at(am_rank from, am_rank to) const noexcept {
    return requests_at(from, to) + ring_bytes();
  }
  [[nodiscard]] constexpr std::size_t payload_at(am_rank from, am_rank to) const noexcept {
    return replies_at(from, to) + ring_bytes();
  }
  // Of the answers that b has room for in requests of a.
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

static_assert(sizeof(doorstep) <= page && sizeof(channel_lines) <= page);
static_assert(sizeof(segment_directory) <= 2 * page);

}  // namespace am::detail::shm
