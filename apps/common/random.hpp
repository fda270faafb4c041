// Random numbers by position: any rank makes any part of a program's input.
#pragma once

#include <cstdint>

namespace apps {

/// The i-th number of the sequence of this seed (Steele, Lea and Flood's SplitMix64).
constexpr std::uint64_t random_word(std::uint64_t seed, std::uint64_t i) noexcept {
  std::uint64_t z = (seed * 0xd1342543de82ef95U) + ((i + 1) * 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// The same in [0, 1).
constexpr double random_unit(std::uint64_t seed, std::uint64_t i) noexcept {
  return static_cast<double>(random_word(seed, i) >> 11) * 0x1p-53;
}

}  // namespace apps
