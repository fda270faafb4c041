// One message in a ring: one cache line. The control word is written last, and its generation says
// that the slot is full, so a message costs the transfer of one cache line.
//
//   control   63      48 47      32 31    24 23    16 15         0
//            +----------+----------+--------+--------+------------+
//            |  reason  | handler  | flags  |  kind  | generation |
//            | silents  |          |  form  |        |            |   of a reply
//            |answer at |          |        |        |            |   of a request with room
//            +----------+----------+--------+--------+------------+
//   then four words, then the place of the payload (medium messages) or of the bulk data.
#pragma once

#include <am/types.h>
#include <libam/base/cache_line.hpp>
#include <libam/seam/answer.hpp>
#include <libam/seam/reason.hpp>
#include <libam/wire/payload_sizes.hpp>

#include <atomic>
#include <cstdint>

namespace am::detail::shm {

enum class kind : std::uint8_t {
  small = 1,
  medium = 2,
  returned = 3,           // in a reply ring: the request could not run; `reason` says why
  grow = 4,               // no message: the ring doubles, and the next message is in the new half
  bulk = 5,               // the bytes are in the target's own memory already
  request_with_room = 6,  // a request with room for its answer
  answer = 7              // the answer to one
};

inline constexpr std::uint64_t credit_request_flag = 1ULL << 24;
inline constexpr unsigned handler_shift = 32;

// A returned request has no payload; its `end` has what `silents` has in other replies. `room`, of
// a request with room: how many bytes its answer may have.
struct payload_place {
  std::uint32_t offset;
  std::uint32_t bytes;
  std::uint32_t end;
  std::uint32_t room;
};
struct bulk_place {
  void* where;
  std::uint64_t bytes;
};

struct alignas(base::cache_line_bytes) slot {
  std::atomic<std::uint64_t> control;
  am_word words[AM_WORDS];
  union {
    payload_place payload;
    bulk_place bulk;
  };
  std::uint64_t reader_word;  // the only word that the reader writes: ring_reader::reclaim_line

  void fill(am_word w0, am_word w1, am_word w2, am_word w3) noexcept {
    words[0] = w0;
    words[1] = w1;
    words[2] = w2;
    words[3] = w3;
  }
};
static_assert(sizeof(slot) == base::cache_line_bytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// The generation of a lap through the ring. Fresh memory is 0, which no lap is.
using generation = std::uint16_t;
inline constexpr generation first_generation = 1;
inline constexpr generation next_generation(generation lap) noexcept {
  return lap == 0xffff ? first_generation : static_cast<generation>(lap + 1);
}

// The control word of a slot that has no writer at this moment.
inline std::uint64_t control_in(const slot* one) noexcept {
  return one->control.load(std::memory_order_relaxed);
}

// The control word without its generation, which the ring adds.
inline constexpr std::uint64_t control_of(kind what, std::uint32_t handler,
                                          std::uint64_t flags = 0) noexcept {
  return static_cast<std::uint64_t>(handler) << handler_shift | flags |
         static_cast<std::uint64_t>(what) << 16;
}
inline constexpr std::uint64_t reason_in_control(am_status reason) noexcept {
  return static_cast<std::uint64_t>(reason) << 48;
}
// How many silent requests were handled before the one that this reply answers. When the target
// dies, this tells unhandled requests from handled ones that it had not published.
inline constexpr std::uint64_t silents_in_control(std::uint32_t silents) noexcept {
  return static_cast<std::uint64_t>(silents) << 48;
}
inline constexpr std::uint16_t silents_of(std::uint64_t control) noexcept {
  return static_cast<std::uint16_t>(control >> 48);
}
inline constexpr generation generation_of(std::uint64_t control) noexcept {
  return static_cast<generation>(control);
}
inline constexpr kind kind_of(std::uint64_t control) noexcept {
  return static_cast<kind>(control >> 16 & 0xff);
}
inline constexpr std::uint32_t handler_of(std::uint64_t control) noexcept {
  return static_cast<std::uint32_t>(control >> handler_shift & 0xffff);
}
inline constexpr am_status reason_of(std::uint64_t control) noexcept {
  return seam::checked_reason(control >> 48);
}

// Where in the room for answers a request has its own, in units of payload_step.
inline constexpr std::uint64_t answer_offset_in_control(std::uint32_t offset) noexcept {
  return std::uint64_t{offset / wire::payload_step} << 48;
}
inline constexpr std::uint32_t answer_offset_of(std::uint64_t control) noexcept {
  return static_cast<std::uint32_t>(control >> 48) * wire::payload_step;
}
static_assert(wire::payload_sizes(wire::largest_max_medium).most_answer_room() /
                  wire::payload_step <=
              1U << 16);
// The form of an answer. An answer with a payload has the offset in place of the address in `bulk`;
// a returned request has its reason in place of the bytes.
inline constexpr std::uint64_t form_in_control(seam::answer::form what) noexcept {
  return static_cast<std::uint64_t>(what) << 24;
}
inline constexpr std::uint8_t form_of(std::uint64_t control) noexcept {
  return static_cast<std::uint8_t>(control >> 24);
}

}  // namespace am::detail::shm
