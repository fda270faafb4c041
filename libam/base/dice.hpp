// Chances, the same again for the same seed, rank and sequence of calls (splitmix64).
#pragma once

#include <cstdint>

namespace am::detail::base {

class dice {
 public:
  explicit dice(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t roll() noexcept {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
  }
  // 0 to `count` - 1.
  std::uint64_t below(std::uint64_t count) noexcept { return roll() % count; }
  bool once_in(std::uint64_t times) noexcept { return below(times) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace am::detail::base
