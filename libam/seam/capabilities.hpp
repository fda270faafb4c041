// One word for all that a transport can or cannot do beside carrying messages: core decides by it
// what it asks of which transport. It is the same from the transport's first moment to its last.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace am::detail::seam {

enum class capability : std::uint8_t {
  // A peer can reach this rank before this rank has reached it. Without it nobody polls before the
  // first contact.
  receives_unasked = 1,
  // There can be memory of this rank that peers reach without its help.
  segments = 2,
  // It can carry messages over a bad network (AM_FAULT).
  network = 4,
  // Puts go in one stream with their notices: of such a notice it is known that the bytes came.
  streams = 8,
  // It has a descriptor that wakes a sleeping rank.
  wakes = 16,
};

class capabilities {
 public:
  constexpr capabilities() noexcept = default;
  constexpr capabilities(std::initializer_list<capability> all) noexcept {
    for (const capability one : all) bits_ |= static_cast<std::uint8_t>(one);
  }
  [[nodiscard]] constexpr bool has(capability one) const noexcept {
    return (bits_ & static_cast<std::uint8_t>(one)) != 0;
  }
  // This word, and that capability if it is there.
  [[nodiscard]] constexpr capabilities with(capability one, bool is_there) const noexcept {
    capabilities more = *this;
    if (is_there) more.bits_ |= static_cast<std::uint8_t>(one);
    return more;
  }
  constexpr bool operator==(const capabilities&) const noexcept = default;

 private:
  std::uint8_t bits_ = 0;
};

}  // namespace am::detail::seam
