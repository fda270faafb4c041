// The keys that the sorting programs sort, and the check that they are sorted.
#pragma once

#include "random.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace apps {

using sort_key = std::uint32_t;

constexpr sort_key key_at(std::uint64_t seed, std::size_t i) noexcept {
  return static_cast<sort_key>(random_word(seed, i) >> 32);
}

// Equal for two sets of keys that are permutations of each other, and hardly for others.
struct key_hash {
  std::uint64_t sum = 0;
  std::uint64_t mixed = 0;

  void add(sort_key key) noexcept {
    sum += key;
    mixed += random_word(0, key);
  }
  void add(std::span<const sort_key> keys) noexcept {
    for (const sort_key key : keys) add(key);
  }
};

constexpr bool is_sorted_from(std::span<const sort_key> keys, sort_key least) noexcept {
  for (const sort_key key : keys) {
    if (key < least) return false;
    least = key;
  }
  return true;
}

}  // namespace apps
