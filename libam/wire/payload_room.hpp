// The bytes of medium messages in flight to one peer: a ring in which each payload is contiguous.
// The sender takes room here; the receiver frees it in the same order by a counter. Counters are
// modular: 32 bits may wrap.
//
// The ring may grow, at its end. Only the sender knows its size: each message has the offset of its
// payload.
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
    std::uint32_t offset;  // of the bytes in the ring
    std::uint32_t end;     // the receiver's counter when it has freed them
  };

  explicit payload_room(std::uint32_t size) noexcept : size_(size) {}

  // Contiguous room for `bytes`, or nothing.
  std::optional<place> take(std::size_t bytes) noexcept {
    const std::uint32_t requested = whole_steps(bytes);
    const bool wraps = requested > size_ - at_;
    const std::uint32_t skipped = wraps ? size_ - at_ : 0;
    if (in_use() + skipped + requested > size_) return std::nullopt;
    const std::uint32_t offset = wraps ? 0 : at_;
    at_ = offset + requested;
    taken_ += skipped + requested;
    return place{offset, taken_};
  }

  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  // May the ring grow for `bytes`? Yes where it would wrap, if nothing behind the next payload's
  // place is in use.
  [[nodiscard]] bool may_grow(std::size_t bytes) const noexcept {
    return whole_steps(bytes) > size_ - at_ && in_use() <= at_;
  }
  void grow() noexcept { size_ *= 2; }

  // Is this counter between what was freed and what was taken? A correct receiver has no other.
  [[nodiscard]] bool is_valid_counter(std::uint32_t counter) const noexcept {
    return taken_ - counter <= taken_ - released_;
  }
  // The receiver's counter as just read. True: it has moved.
  bool update_released(std::uint32_t counter) noexcept {
    return std::exchange(released_, counter) != counter;
  }

 private:
  static constexpr std::uint32_t whole_steps(std::size_t bytes) noexcept {
    return static_cast<std::uint32_t>(bytes + padding_before(payload_step, bytes));
  }
  // With the bytes that were skipped where the ring wrapped.
  [[nodiscard]] std::uint32_t in_use() const noexcept { return taken_ - released_; }

  std::uint32_t size_;
  std::uint32_t at_ = 0;  // the next payload's place, if it fits there
  std::uint32_t taken_ = 0;
  std::uint32_t released_ = 0;
};

}  // namespace am::detail::wire
