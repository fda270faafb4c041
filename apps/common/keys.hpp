// The keys that the sorting programs sort, and the check that they are sorted.
#pragma once

#include "random.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

// A rank's part of the input.
inline std::vector<sort_key> make_keys(std::uint64_t seed, std::size_t first, std::size_t count) {
  std::vector<sort_key> keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = key_at(seed, first + i);
  return keys;
}

struct last_key {
  sort_key key;
  std::uint32_t is_there;  // otherwise the rank has no keys
};

// Are this rank's keys in order, and behind those of the ranks before it? And are those of all
// ranks the keys of the input? `gather` makes a vector of what each rank gives, `sum` adds it up.
template <class Gather, class Sum>
bool are_sorted(std::span<const sort_key> mine, const key_hash& input, std::size_t rank,
                Gather&& gather, Sum&& sum) {
  const std::vector<last_key> lasts = gather(mine.empty() ? last_key{} : last_key{mine.back(), 1});
  sort_key least = 0;
  for (std::size_t r = 0; r < rank; ++r)
    if (lasts[r].is_there != 0) least = lasts[r].key;
  key_hash output;
  output.add(mine);
  const std::uint64_t sums = sum(input.sum - output.sum);
  const std::uint64_t mixed = sum(input.mixed - output.mixed);
  return sums == 0 && mixed == 0 && std::ranges::is_sorted(mine) &&
         (mine.empty() || mine.front() >= least);
}

}  // namespace apps
