#include "lu_blocks.hpp"

#include <algorithm>

namespace apps::lu {
namespace {

// row -= factors * from, four rows that follow each other, from column `first` on. An element is
// loaded and stored once for all four.
void subtract_four(double* row, const double* factors, const double* from,
                   std::size_t first) noexcept {
  const double a = factors[0], b = factors[1], c = factors[2], d = factors[3];
  for (std::size_t j = first; j < edge; ++j)
    row[j] -= a * from[j] + b * from[edge + j] + c * from[2 * edge + j] + d * from[3 * edge + j];
}

// The same of the first `count` rows of a block.
void subtract_rows(double* row, const double* factors, const block& from,
                   std::size_t count) noexcept {
  const std::size_t in_fours = count / 4 * 4;
  for (std::size_t p = 0; p < in_fours; p += 4) subtract_four(row, factors + p, from.row(p), 0);
  for (std::size_t p = in_fours; p < count; ++p)
    for (std::size_t j = 0; j < edge; ++j) row[j] -= factors[p] * from.row(p)[j];
}

// Turns the first `count` elements of a row into factors of the rows of U, which is in `upper`.
void eliminate(double* row, const block& upper, std::size_t count) noexcept {
  for (std::size_t first = 0; first < count; first += 4) {
    const std::size_t end = std::min(first + 4, count);
    for (std::size_t p = first; p < end; ++p) {
      row[p] /= upper.row(p)[p];
      for (std::size_t j = p + 1; j < end; ++j) row[j] -= row[p] * upper.row(p)[j];
    }
    if (end == first + 4)
      subtract_four(row, row + first, upper.row(first), end);
    else
      for (std::size_t p = first; p < end; ++p)
        for (std::size_t j = end; j < edge; ++j) row[j] -= row[p] * upper.row(p)[j];
  }
}

}  // namespace

void factor(block& diagonal) noexcept {
  for (std::size_t i = 1; i < edge; ++i) eliminate(diagonal.row(i), diagonal, i);
}

void solve_left(block& a, const block& diagonal) noexcept {
  for (std::size_t i = 0; i < edge; ++i) eliminate(a.row(i), diagonal, edge);
}

void solve_upper(block& a, const block& diagonal) noexcept {
  for (std::size_t i = 1; i < edge; ++i) subtract_rows(a.row(i), diagonal.row(i), a, i);
}

void update(block& a, const block& left, const block& upper) noexcept {
  for (std::size_t i = 0; i < edge; ++i) subtract_rows(a.row(i), left.row(i), upper, edge);
}

}  // namespace apps::lu
