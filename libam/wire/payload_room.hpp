// The bytes of medium messages that are on their way to one peer: a ring in which each payload is
// contiguous. The sender takes room here; the receiver gives it back in the same order by a
// counter. Counters are modular: 32 bits may wrap.
//
// The ring may grow, at its end. Only the sender knows its size: the receiver is told where each
// payload stands.
#pragma once

#include <libam/wire/payload_sizes.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace am::detail::wire {

class payload_room {
 public:
  struct place {
    std::uint32_t offset;  // where the bytes stand in the ring
    std::uint32_t end;     // what the counter of the receiver moves to when it is done with them
  };

  explicit payload_room(std::uint32_t size) noexcept : size_(size) {}

  // Room for `bytes` in one piece, or nothing.
  std::optional<place> take(std::size_t bytes) noexcept {
    const std::uint32_t wanted = whole_steps(bytes);
    const bool wraps = wanted > size_ - at_;
    const std::uint32_t skipped = wraps ? size_ - at_ : 0;
    if (in_use() + skipped + wanted > size_) return std::nullopt;
    const std::uint32_t offset = wraps ? 0 : at_;
    at_ = offset + wanted;
    taken_ += skipped + wanted;
    return place{offset, taken_};
  }

  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  // Can the ring become longer, now that `bytes` are wanted? At its end, where it would wrap, and
  // with nothing in use beyond the place where it goes on.
  [[nodiscard]] bool may_grow(std::size_t bytes) const noexcept {
    return whole_steps(bytes) > size_ - at_ && in_use() <= at_;
  }
  void grow() noexcept { size_ *= 2; }

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
  static constexpr std::uint32_t whole_steps(std::size_t bytes) noexcept {
    return static_cast<std::uint32_t>(bytes + gap_before(payload_step, bytes));
  }
  // With what was skipped where the ring wrapped.
  [[nodiscard]] std::uint32_t in_use() const noexcept { return taken_ - given_back_; }

  std::uint32_t size_;
  std::uint32_t at_ = 0;  // where the next payload goes, if it fits there
  std::uint32_t taken_ = 0;
  std::uint32_t given_back_ = 0;
};

}  // namespace am::detail::wire
