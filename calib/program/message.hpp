// The content of a message: four words, different in every message. Their sum proves that both
// sides have written and read each word.
#pragma once

#include <cstdint>

namespace calib {

struct message {
  std::uint64_t words[4];
};

// The n-th message of a series.
inline message make_message(std::uint64_t n) noexcept { return {{n, n + 1, n + 2, n + 3}}; }

inline std::uint64_t sum(const message& m) noexcept {
  return m.words[0] + m.words[1] + m.words[2] + m.words[3];
}

// The sum over the messages 0 to count - 1 of a series.
inline std::uint64_t sum_of_first(std::uint64_t count) noexcept {
  return count == 0 ? 0 : 2 * count * (count - 1) + 6 * count;
}

}  // namespace calib
