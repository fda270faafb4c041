// The matrix that lu factors, in square blocks, and what is computed with one to three of them.
#pragma once

#include "random.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace apps::lu {

inline constexpr std::size_t edge = 64;  // rows and columns of a block: three fit into a near cache

struct block {
  alignas(64) std::array<double, edge * edge> values;  // row by row

  [[nodiscard]] double* row(std::size_t i) noexcept { return values.data() + i * edge; }
  [[nodiscard]] const double* row(std::size_t i) const noexcept { return values.data() + i * edge; }
};

// Strictly diagonally dominant, so that no rows need to be exchanged. Behind n rows and columns it
// goes on as the identity, which stays as it is: every block is whole.
inline double element_at(std::uint64_t seed, std::size_t n, std::size_t i, std::size_t j) {
  if (i >= n || j >= n) return i == j ? 1 : 0;
  return i == j ? static_cast<double>(n) / 2 : random_unit(seed, i * n + j) - 0.5;
}

inline void fill(block& out, std::uint64_t seed, std::size_t n, std::size_t row,
                 std::size_t column) {
  for (std::size_t i = 0; i < edge; ++i)
    for (std::size_t j = 0; j < edge; ++j)
      out.row(i)[j] = element_at(seed, n, row * edge + i, column * edge + j);
}

// Into L, whose diagonal is 1 and not stored, and U.
void factor(block& diagonal) noexcept;
// A block below the diagonal, into one of L.
void solve_left(block& a, const block& diagonal) noexcept;
// A block to the right of the diagonal, into one of U.
void solve_upper(block& a, const block& diagonal) noexcept;
// a -= left * upper
void update(block& a, const block& left, const block& upper) noexcept;

}  // namespace apps::lu
