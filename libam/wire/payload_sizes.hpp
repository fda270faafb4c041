// How many bytes the payload of a message may have, and what depends on that; and the eager limit
// of bulk data. AM_MAX_MEDIUM is the same for all ranks of a job, and the memory for payloads
// depends on it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace am::detail::wire {

// Of a program's payload: the default, and the largest that the user may set.
inline constexpr std::uint32_t default_max_medium = 16 * 1024;
inline constexpr std::uint32_t largest_max_medium = 64 * 1024;
// What libam itself may put in front of it.
inline constexpr std::uint32_t most_header_bytes = 32;
// Payloads start at multiples of it, so that they are aligned for any type.
inline constexpr std::uint32_t payload_step = 16;
// Of a room at first, if the payloads are not larger than the default. In a room as small as this
// the reader of a flood still has its lines in its nearest cache when the writer needs them again:
// mediums of 4 KiB then take twice the time (docs/performance.md).
inline constexpr std::uint32_t least_room_bytes = 64 * 1024;
// The eager limit: a put of at most this many bytes is copied by tcp, if its source may change, or
// sent in messages by ucx; then it is over at once. It does not depend on the largest payload. Core
// relies on it: a get of no more bytes is streamed from a segment only (serve_gets.cpp), so no
// transport may copy larger puts; and only the place of such a get counts as mapped
// (pending_calls.cpp).
inline constexpr std::size_t most_eager_bytes = 16384;

// The number of bytes from `at` to the next multiple of `step`.
inline constexpr std::size_t padding_before(std::size_t step, std::size_t at) noexcept {
  return (step - at % step) % step;
}

class payload_sizes {
 public:
  // `max_medium`: a multiple of payload_step, at most largest_max_medium.
  explicit constexpr payload_sizes(std::uint32_t max_medium = default_max_medium) noexcept
      : most_payload_(max_medium + most_header_bytes), room_(room_for(max_medium)) {}

  // The largest payload of a program, and of any message.
  [[nodiscard]] constexpr std::uint32_t max_medium() const noexcept {
    return most_payload_ - most_header_bytes;
  }
  [[nodiscard]] constexpr std::uint32_t most_payload() const noexcept { return most_payload_; }

  // The size of a room at first, and of one that has grown.
  [[nodiscard]] constexpr std::uint32_t room() const noexcept { return room_; }
  [[nodiscard]] constexpr std::uint32_t most_room() const noexcept { return 4 * room_; }

  // The size of the room for answers, which is as large at first and grows less: 64 MiB of address
  // space shall suffice for eight ranks of a job.
  [[nodiscard]] constexpr std::uint32_t most_answer_room() const noexcept { return 2 * room_; }
  // Is `offset` in that room followed by enough for an answer of `bytes` of the program's, with
  // libam's header in front of them?
  [[nodiscard]] constexpr bool answer_fits(std::uint32_t offset,
                                           std::uint32_t bytes) const noexcept {
    return bytes <= max_medium() && offset <= most_answer_room() - (bytes + most_header_bytes);
  }

  // Is a payload of `bytes` valid, and all of it in the room?
  [[nodiscard]] constexpr bool fits(std::uint32_t offset, std::uint32_t bytes) const noexcept {
    return bytes <= most_payload_ && offset <= most_room() - bytes;
  }

 private:
  // At least two of the largest must fit, or one that wraps could wait for itself. With room for
  // four the sender fills one half while the target reads the other. In whole pages.
  static constexpr std::uint32_t room_for(std::uint32_t max_medium) noexcept {
    constexpr std::uint32_t page = 4096;
    const std::uint32_t four = (4 * max_medium + page - 1) / page * page;
    return four < least_room_bytes ? least_room_bytes : four;
  }

  std::uint32_t most_payload_;
  std::uint32_t room_;
};

static_assert(payload_sizes().room() == least_room_bytes);
static_assert(payload_sizes().room() >= 3 * payload_sizes().most_payload());
static_assert(payload_sizes(largest_max_medium).room() >=
              3 * payload_sizes(largest_max_medium).most_payload());

}  // namespace am::detail::wire
