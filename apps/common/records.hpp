// The records that nowsort sorts: 100 bytes, of which the first 10 are the key. As gensort makes
// them, keys are uniform at random, and the rest says which record it is.
#pragma once

#include "random.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

namespace apps::nowsort {

using record_key = std::array<std::uint8_t, 10>;

struct record {
  record_key key;
  std::array<std::uint8_t, 90> rest;
};
static_assert(sizeof(record) == 100);

inline record record_at(std::uint64_t seed, std::size_t i) noexcept {
  record out;
  const std::array random = {random_word(seed, 2 * i), random_word(seed, 2 * i + 1)};
  std::memcpy(out.key.data(), random.data(), out.key.size());
  for (std::size_t digit = 0; digit < 16; ++digit)
    out.rest[digit] = static_cast<std::uint8_t>("0123456789ABCDEF"[i >> (60 - 4 * digit) & 15]);
  std::fill(out.rest.begin() + 16, out.rest.end(), static_cast<std::uint8_t>('A' + i % 26));
  return out;
}

// The first 8 bytes of a key, in their order as a number.
inline std::uint64_t high_part(const record_key& key) noexcept {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < 8; ++i) out = out << 8 | key[i];
  return out;
}

// Where a key belongs if all keys are dealt to a number of parts of equal size, in order.
inline std::size_t part_of(std::uint64_t high, std::size_t parts) noexcept {
  __extension__ using wide = unsigned __int128;
  return static_cast<std::size_t>(static_cast<wide>(high) * parts >> 64);
}

// Of the records of a file, as valsort has it: are they in order, and a sum by which two sets of
// records that are not the same hardly agree.
struct summary {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  record_key first{};
  record_key last{};
  std::uint64_t is_in_order = 1;

  void add(std::span<const record> records) noexcept {
    for (const record& one : records) {
      if (count == 0) first = one.key;
      if (one.key < last) is_in_order = 0;
      last = one.key;
      ++count;
      sum += hash_of(one);
    }
  }

 private:
  static std::uint64_t hash_of(const record& of) noexcept {
    std::array<std::uint64_t, 13> words{};
    std::memcpy(words.data(), &of, sizeof of);
    return std::accumulate(words.begin(), words.end(), std::uint64_t{0}, random_word);
  }
};

// Of each rank, the summaries of its input and of its output.
struct summaries {
  summary input;
  summary output;
};
inline bool are_sorted(std::span<const summaries> of_ranks) noexcept {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  record_key last{};
  for (const auto& [input, output] : of_ranks) {
    count += output.count - input.count;
    sum += output.sum - input.sum;
    if (output.count == 0) continue;
    if (output.is_in_order == 0 || output.first < last) return false;
    last = output.last;
  }
  return count == 0 && sum == 0;
}

}  // namespace apps::nowsort
