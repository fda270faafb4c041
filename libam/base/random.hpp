// Random numbers: from the kernel, and pseudo-random ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace am::detail::base {

// A number that cannot be guessed, or that at least differs each time.
std::uint64_t random_word() noexcept;

// At most 256 bytes that cannot be guessed; soon after the machine has booted it waits for them.
// False with errno: there are none.
bool fill_with_secret(std::span<std::byte> room) noexcept;

// Pseudo-random numbers, the same for the same seed and sequence of calls (splitmix64).
class random_source {
 public:
  explicit random_source(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
  }
  // 0 to `count` - 1.
  std::uint64_t below(std::uint64_t count) noexcept { return next() % count; }
  bool once_in(std::uint64_t times) noexcept { return below(times) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace am::detail::base
