// The matrices that mm multiplies, of small whole numbers, so that their sums are exact in any
// order; and the serial reference.
#pragma once

#include "random.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace apps::mm {

// A part of a matrix, row by row.
struct block {
  std::size_t rows;
  std::size_t columns;
  std::vector<double> values;

  block(std::size_t r, std::size_t c) : rows(r), columns(c), values(r * c) {}
  [[nodiscard]] double* row(std::size_t i) noexcept { return values.data() + i * columns; }
  [[nodiscard]] const double* row(std::size_t i) const noexcept {
    return values.data() + i * columns;
  }
};

enum matrix : unsigned { left, right };

// The rows and columns of one of the two n x n matrices from these on.
inline block make_block(std::uint64_t seed, matrix which, std::size_t n, std::size_t row,
                        std::size_t column, std::size_t rows, std::size_t columns) {
  block out(rows, columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      out.row(i)[j] =
          static_cast<double>(random_word(seed + which, (row + i) * n + column + j) % 16);
  return out;
}

// sum += a * b, where the rows of b are those that belong to a's columns from `first` on.
inline void add_product(block& sum, const block& a, std::size_t first, const double* b,
                        std::size_t b_rows) {
  constexpr std::size_t tile = 64;  // rows of b that stay in the nearest caches
  for (std::size_t from = 0; from < b_rows; from += tile) {
    const std::size_t to = std::min(from + tile, b_rows);
    for (std::size_t i = 0; i < sum.rows; ++i) {
      double* const out = sum.row(i);
      for (std::size_t k = from; k < to; ++k) {
        const double factor = a.row(i)[first + k];
        const double* const in = b + k * sum.columns;
        for (std::size_t j = 0; j < sum.columns; ++j) out[j] += factor * in[j];
      }
    }
  }
}

// Is this part of the product right? By a vector x of small numbers: (ab)x = a(bx).
inline bool is_product(const block& part, std::uint64_t seed, std::size_t n, std::size_t row,
                       std::size_t column) {
  const auto at = [&](matrix which, std::size_t i, std::size_t j) {
    return static_cast<double>(random_word(seed + which, i * n + j) % 16);
  };
  const auto x = [&](std::size_t j) { return static_cast<double>(random_word(seed + 2, j) % 16); };
  std::vector<double> bx(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < part.columns; ++j)
      bx[k] += at(right, k, column + j) * x(column + j);
  for (std::size_t i = 0; i < part.rows; ++i) {
    double expected = 0;
    double found = 0;
    for (std::size_t k = 0; k < n; ++k) expected += at(left, row + i, k) * bx[k];
    for (std::size_t j = 0; j < part.columns; ++j) found += part.row(i)[j] * x(column + j);
    if (expected != found) return false;
  }
  return true;
}

}  // namespace apps::mm
