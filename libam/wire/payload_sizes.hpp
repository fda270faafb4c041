// How many bytes the payload of a message may have, and what follows from that: AM_MAX_MEDIUM is
// one number for all ranks of a job, and the memory for payloads depends on it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace am::detail::wire {

// Of a program's payload, where the user does not say otherwise, and where he says the most.
inline constexpr std::uint32_t usual_max_medium = 16 * 1024;
inline constexpr std::uint32_t largest_max_medium = 64 * 1024;
// What libam itself may put in front of that.
inline constexpr std::uint32_t most_header_bytes = 32;
// Payloads start on such boundaries, so that they are aligned for any type.
inline constexpr std::uint32_t payload_step = 16;
// Of a room at first, if the payloads are no larger than usual. Where a room is as small as at
// first, the reader of a flood has its lines still in its nearest cache when the writer needs them
// again: mediums of 4 KiB then take twice the time (docs/performance.md).
inline constexpr std::uint32_t least_room_bytes = 64 * 1024;
// A put of no more bytes goes in a message where a transfer has its price. What is dearer does not
// depend on how much a message may carry.
inline constexpr std::size_t most_put_in_messages = std::size_t{16} * 1024;

// How many bytes it is from `at` to the next multiple of `step`.
inline constexpr std::size_t gap_before(std::size_t step, std::size_t at) noexcept {
  return (step - at % step) % step;
}

class payload_sizes {
 public:
  // `max_medium`: a multiple of payload_step, at most largest_max_medium.
  explicit constexpr payload_sizes(std::uint32_t max_medium = usual_max_medium) noexcept
      : most_payload_(max_medium + most_header_bytes), room_(room_for(max_medium)) {}

  // Of a program's payload, and of any.
  [[nodiscard]] constexpr std::uint32_t max_medium() const noexcept {
    return most_payload_ - most_header_bytes;
  }
  [[nodiscard]] constexpr std::uint32_t most_payload() const noexcept { return most_payload_; }

  // Of a room at first, and of one that has grown.
  [[nodiscard]] constexpr std::uint32_t room() const noexcept { return room_; }
  [[nodiscard]] constexpr std::uint32_t most_room() const noexcept { return 4 * room_; }

  // Of the room for answers, which is as large at first and grows to less: eight ranks of a job
  // shall do with 64 MiB of address space.
  [[nodiscard]] constexpr std::uint32_t most_answer_room() const noexcept { return 2 * room_; }
  // Room for an answer of so many bytes of the program's, and libam's in front of them, in that.
  [[nodiscard]] constexpr bool answer_fits(std::uint32_t offset,
                                           std::uint32_t bytes) const noexcept {
    return bytes <= max_medium() && offset <= most_answer_room() - (bytes + most_header_bytes);
  }

  // A payload of no more bytes than any message has, and all of them in the room.
  [[nodiscard]] constexpr bool fit(std::uint32_t offset, std::uint32_t bytes) const noexcept {
    return bytes <= most_payload_ && offset <= most_room() - bytes;
  }

 private:
  // At least two of the largest must fit, or one that wraps could wait for itself; with room for
  // four the sender fills one half while the target reads the other. Whole pages.
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
