// What travels: four words, different in every message, and their sum, so that both sides can be
// held to have really written and read each of them.
#pragma once

#include <cstdint>

namespace calib {

struct message {
  std::uint64_t words[4];
};

// The n-th message of a series.
inline message numbered(std::uint64_t n) noexcept { return {{n, n + 1, n + 2, n + 3}}; }

inline std::uint64_t sum(const message& m) noexcept {
  return m.words[0] + m.words[1] + m.words[2] + m.words[3];
}

// What the messages 0 to count - 1 of a series sum up to.
inline std::uint64_t sum_of_first(std::uint64_t count) noexcept {
  return count == 0 ? 0 : 2 * count * (count - 1) + 6 * count;
}

}  // namespace calib
