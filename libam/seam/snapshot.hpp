// The route to one peer, of any transport, as the rank itself reads it for a stall report, and
// another process without the rank's help for am-info PID. It is made at first contact and has the
// addresses of all that changes, so messages write nothing for it. A reader in another process
// trusts nothing that it reads.
#pragma once

#include <am/types.h>
#include <libam/seam/credits.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace am::detail::seam {

// Where a port keeps the requests that may be unanswered, in slots of one size. The handler's
// number is in the first eight bytes of a slot. There are two kinds of rings: of numbered requests,
// and of laps, where the lowest 16 bits of each slot that the writer has filled are its lap. A
// `const void*` is the address of a slot, or of a pointer to one.
struct request_ring {
  const void* first = nullptr;  // slot; null: there is none
  std::uint32_t stride = 0;     // from slot to slot
  std::uint32_t words_at = 0;   // in a slot
  std::uint32_t handler_shift = 0;

  // Of numbered requests: how many were noted; number n is in slot n & mask. Null: of laps.
  const std::uint32_t* noted = nullptr;
  std::uint32_t mask = 0;

  // Of laps. A ring that grows has a new end, and the writer goes on in the new half.
  const void* next = nullptr;  // of the pointer to the slot of the next request
  const void* end = nullptr;   // of the pointer to the end
  const std::uint16_t* lap = nullptr;
  std::uint64_t gap_mask = 0;  // a slot whose first eight bytes are `gap` under it has no request
  std::uint64_t gap = 1;
  // One more than the index of the slot whose request the target has begun last.
  const std::atomic<std::uint32_t>* begun = nullptr;
};

struct snapshot {
  const sender_credits* credits = nullptr;  // null: no contact
  request_ring requests;
  char transport[8] = {};
};

// An unanswered request.
struct unanswered_request {
  std::uint32_t handler;
  std::array<am_word, AM_WORDS> words;
  std::optional<bool> begun;  // its handler has been called there; nothing: unknown here
};

// How this process reads its own memory. A reader of another process's has the same two calls, each
// of which returns whether it could read.
struct own_memory {
  static bool read(const void* there, void* here, std::size_t bytes) noexcept {
    std::memcpy(here, there, bytes);
    return true;
  }
  static bool read(const std::atomic<std::uint32_t>* there, std::uint32_t& here) noexcept {
    here = there->load(std::memory_order_relaxed);
    return true;
  }
};

inline constexpr std::uint32_t most_kept_requests = 1U << 16;

// Laps go from 1 to 0xffff and start again at 1.
inline constexpr std::uint16_t lap_before(std::uint16_t lap) noexcept {
  return lap == 1 ? 0xffff : static_cast<std::uint16_t>(lap - 1);
}

// Of a ring of laps: calls visit(index, slot's address, its first eight bytes) for the last `count`
// requests, the newest first, until it returns false. These must not have been overwritten;
// requests in flight, by the credits, have not been.
//
// When the ring has grown in this lap, the last slots of the old half, behind a gap, are of the lap
// before: they are skipped, and found when the walk has gone round. Twice round it has seen all, so
// it ends there even in memory that a faulty process overwrites.
template <class Memory, class Visit>
void visit_newest_first(const request_ring& ring, std::uint32_t count, const Memory& memory,
                        Visit&& visit) {
  const auto first = reinterpret_cast<std::uintptr_t>(ring.first);
  std::uintptr_t next = 0;
  std::uintptr_t end = 0;
  std::uint16_t lap = 0;
  if (ring.stride == 0 || !memory.read(ring.next, &next, sizeof next) ||
      !memory.read(ring.end, &end, sizeof end) || !memory.read(ring.lap, &lap, sizeof lap))
    return;
  const std::uintptr_t slots = (end - first) / ring.stride;
  std::uintptr_t at = (next - first) / ring.stride;
  if (slots > most_kept_requests || at >= slots) return;
  for (std::uintptr_t left = 2 * slots; count != 0 && left != 0; --left) {
    if (at == 0) {
      at = slots;
      lap = lap_before(lap);
    }
    const std::uintptr_t slot = first + --at * ring.stride;
    std::uint64_t control = 0;
    if (!memory.read(reinterpret_cast<const void*>(slot), &control, sizeof control)) return;
    if (static_cast<std::uint16_t>(control) != lap || (control & ring.gap_mask) == ring.gap)
      continue;
    if (!visit(static_cast<std::uint32_t>(at), slot, control)) return;
    --count;
  }
}

// The oldest of numbered requests: they complete in the order in which they were noted.
template <class Memory>
std::uintptr_t oldest_numbered(const request_ring& ring, const sender_credits& credits,
                               const Memory& memory) {
  std::uint32_t noted = 0;
  if (!memory.read(ring.noted, &noted, sizeof noted) || ring.mask >= most_kept_requests) return 0;
  const auto completed = static_cast<std::uint32_t>(credits.completed());
  const std::uint32_t unanswered = noted - completed;
  if (unanswered == 0 || unanswered - 1 > ring.mask) return 0;
  return reinterpret_cast<std::uintptr_t>(ring.first) +
         std::uintptr_t{ring.stride} * (completed & ring.mask);
}

// Of a ring of laps: the request that the target has begun last, for those before it were silent
// and are only not published yet; or, if it has begun none of them, the oldest.
template <class Memory>
std::uintptr_t oldest_of_laps(const request_ring& ring, const sender_credits& credits,
                              const Memory& memory, bool& has_begun) {
  std::uint32_t begun = 0;
  std::uintptr_t found = 0;
  if (!memory.read(ring.begun, begun)) return 0;
  visit_newest_first(ring, credits.in_flight(), memory,
                     [&](std::uint32_t index, std::uintptr_t slot, std::uint64_t) {
                       found = slot;
                       has_begun = index + 1 == begun;
                       return !has_begun;
                     });
  return found;
}

// The oldest unanswered request. Nothing: there is none, or it is not known.
template <class Memory>
std::optional<unanswered_request> find_oldest(const request_ring& ring,
                                              const sender_credits& credits, const Memory& memory) {
  if (ring.first == nullptr || ring.handler_shift > 48) return std::nullopt;
  bool has_begun = false;
  const std::uintptr_t slot = ring.noted != nullptr
                                  ? oldest_numbered(ring, credits, memory)
                                  : oldest_of_laps(ring, credits, memory, has_begun);
  unanswered_request found{};
  std::uint64_t control = 0;
  if (slot == 0 || !memory.read(reinterpret_cast<const void*>(slot), &control, sizeof control) ||
      !memory.read(reinterpret_cast<const void*>(slot + ring.words_at), found.words.data(),
                   sizeof found.words))
    return std::nullopt;
  found.handler = static_cast<std::uint16_t>(control >> ring.handler_shift);
  if (ring.noted == nullptr) found.begun = has_begun;
  return found;
}

}  // namespace am::detail::seam
