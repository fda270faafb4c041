// How long the messages of one sender take by themselves, by size: what a dialled latency is added
// to. Learned from lone messages whose receiver did nothing but wait for them.
#pragma once

#include <transports/dial/recent_median.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace am::detail::mpidial {

using dial::ticks;

// Sizes that differ by less than a factor of two are one class.
inline std::uint8_t size_class_of(std::size_t bytes) noexcept {
  constexpr unsigned last = 31;
  return static_cast<std::uint8_t>(std::min<unsigned>(std::bit_width(bytes), last));
}

class flights {
 public:
  void add(std::uint8_t size_class, ticks sample) noexcept { of_[size_class].add(sample); }

  // Of the nearest class that is known and not larger; 0: none is.
  [[nodiscard]] ticks median(std::uint8_t size_class) const noexcept {
    for (std::size_t one = size_class + 1U; one-- > 0;)
      if (of_[one].value() != 0) return of_[one].value();
    return 0;
  }

 private:
  std::array<dial::recent_median, 32> of_{};
};

}  // namespace am::detail::mpidial
