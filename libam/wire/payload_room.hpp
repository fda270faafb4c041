// The bytes of medium messages that are on their way to one peer: a ring of `size` bytes in which
// each payload is contiguous. The sender takes room here; the receiver gives it back in the same
// order by a counter. Counters are modular: 32 bits may wrap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace am::detail::wire {

inline constexpr std::uint32_t payload_room_bytes = 64 * 1024;
// At least two of the largest must fit, or one that wraps could wait for itself.
inline constexpr std::uint32_t max_medium_bytes = 16 * 1024;
// What libam itself may put in front of that.
inline constexpr std::uint32_t most_header_bytes = 32;
inline constexpr std::uint32_t most_payload_bytes = max_medium_bytes + most_header_bytes;
static_assert(payload_room_bytes >= 3 * most_payload_bytes);
// Payloads start on such boundaries, so that they are aligned for any type.
inline constexpr std::uint32_t payload_step = 16;

// How many bytes it is from `at` to the next multiple of `step`.
inline constexpr std::size_t gap_before(std::size_t step, std::size_t at) noexcept {
  return (step - at % step) % step;
}

// A payload of no more bytes than any message has, and all of them in the room.
inline constexpr bool fits_room(std::uint32_t offset, std::uint32_t bytes) noexcept {
  return bytes <= most_payload_bytes && offset <= payload_room_bytes - bytes;
}

class payload_room {
 public:
  struct place {
    std::uint32_t offset;  // where the bytes stand in the ring
    std::uint32_t end;     // what the counter of the receiver moves to when it is done with them
  };

  // Room for `bytes` in one piece, or nothing.
  std::optional<place> take(std::size_t bytes) noexcept {
    const auto wanted = static_cast<std::uint32_t>(bytes + gap_before(payload_step, bytes));
    const std::uint32_t offset = taken_ % payload_room_bytes;
    const bool wraps = offset + wanted > payload_room_bytes;
    const std::uint32_t skipped = wraps ? payload_room_bytes - offset : 0;
    if (taken_ + skipped + wanted - given_back_ > payload_room_bytes) return std::nullopt;
    taken_ += skipped + wanted;
    return place{wraps ? 0 : offset, taken_};
  }

  // Does this counter lie between what was given back and what was taken? No receiver that counts
  // says anything else.
  [[nodiscard]] bool may_be(std::uint32_t counter) const noexcept {
    return taken_ - counter <= taken_ - given_back_;
  }
  // The receiver's counter as just read. True: it has moved.
  bool given_back(std::uint32_t counter) noexcept {
    return std::exchange(given_back_, counter) != counter;
  }

 private:
  std::uint32_t taken_ = 0;
  std::uint32_t given_back_ = 0;
};

}  // namespace am::detail::wire
