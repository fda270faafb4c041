// Radix sort of 32-bit keys, digit by digit from the lowest: what its programs have in common, and
// the serial reference.
#pragma once

#include "keys.hpp"

#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace apps::radix {

inline constexpr unsigned digit_bits = 11;
inline constexpr unsigned passes = 3;
inline constexpr std::size_t buckets = std::size_t{1} << digit_bits;

constexpr std::size_t digit_of(sort_key key, unsigned pass) noexcept {
  return (key >> (pass * digit_bits)) % buckets;
}

template <class Count>
void count_digits(std::span<const sort_key> keys, unsigned pass,
                  std::array<Count, buckets>& counts) noexcept {
  counts.fill(0);
  for (const sort_key key : keys) ++counts[digit_of(key, pass)];
}

// Puts keys in the order of their digit, those of one digit in the order in which they stood.
template <class Count>
void place_by_digit(std::span<const sort_key> from, unsigned pass,
                    const std::array<Count, buckets>& counts, std::span<sort_key> to) noexcept {
  std::array<Count, buckets> places;
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), Count{0});
  for (const sort_key key : from) to[places[digit_of(key, pass)]++] = key;
}

// Sorts in one process.
inline void sort_serially(std::vector<sort_key>& keys) {
  std::vector<sort_key> sorted(keys.size());
  std::array<std::size_t, buckets> counts;
  for (unsigned pass = 0; pass < passes; ++pass) {
    count_digits<std::size_t>(keys, pass, counts);
    place_by_digit<std::size_t>(keys, pass, counts, sorted);
    keys.swap(sorted);
  }
}

}  // namespace apps::radix
