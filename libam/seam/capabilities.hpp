// What a transport can do beside carrying messages: by it core decides which calls it makes to
// which transport. It stays the same for the life of the transport.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace am::detail::seam {

enum class capability : std::uint8_t {
  // A peer can reach this rank before this rank has reached it. A transport without this is not
  // polled before its first contact.
  accepts_unsolicited = 1,
  // Peers can reach some memory of this rank without its help.
  segments = 2,
  // It can carry messages over a bad network (AM_FAULT).
  network = 4,
  // Puts go in one stream with their notices: when such a notice comes, its bytes have come.
  streams = 8,
  // It has a descriptor that wakes a sleeping rank.
  wakes = 16,
  // A port's poll_once delivers what has come, and a put has ended when its call returns: there is
  // nothing between the two processors that works by itself.
  direct = 32,
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
  // These, and `one` if it is there.
  [[nodiscard]] constexpr capabilities with(capability one, bool is_there) const noexcept {
    capabilities more = *this;
    if (is_there) more.bits_ |= static_cast<std::uint8_t>(one);
    return more;
  }
  [[nodiscard]] constexpr capabilities without(capability one) const noexcept {
    capabilities fewer = *this;
    fewer.bits_ &= static_cast<std::uint8_t>(~static_cast<unsigned>(one));
    return fewer;
  }
  constexpr bool operator==(const capabilities&) const noexcept = default;

 private:
  std::uint8_t bits_ = 0;
};

}  // namespace am::detail::seam
