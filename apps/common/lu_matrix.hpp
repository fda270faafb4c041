// How lu deals its blocks to ranks, the serial reference, and the check.
#pragma once

#include "lu_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace apps::lu {

// The blocks are scattered over a grid of ranks, which has as many rows as columns or fewer: block
// (i, j) is at the rank in row i % rows and column j % columns of the grid. Seen from one rank.
class grid {
 public:
  grid(std::size_t n, std::size_t ranks, std::size_t rank)
      : n_(n),
        blocks_((n + edge - 1) / edge),
        rows_(rows_of(ranks)),
        columns_(std::max(ranks / rows_, rows_)),
        row_(rank / columns_),
        column_(rank % columns_) {}

  [[nodiscard]] std::size_t n() const noexcept { return n_; }
  // In a row and in a column of the matrix.
  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t row() const noexcept { return row_; }
  [[nodiscard]] std::size_t column() const noexcept { return column_; }

  [[nodiscard]] std::size_t rank_at(std::size_t row, std::size_t column) const noexcept {
    return row * columns_ + column;
  }
  // Of a block.
  [[nodiscard]] std::size_t owner(std::size_t i, std::size_t j) const noexcept {
    return rank_at(i % rows_, j % columns_);
  }
  [[nodiscard]] bool has_row(std::size_t i) const noexcept { return i % rows_ == row_; }
  [[nodiscard]] bool has_column(std::size_t j) const noexcept { return j % columns_ == column_; }
  // This rank's first row or column of blocks from that one on; blocks() or more: it has none.
  [[nodiscard]] std::size_t first_row(std::size_t from) const noexcept {
    return from + (row_ + rows_ - from % rows_) % rows_;
  }
  [[nodiscard]] std::size_t first_column(std::size_t from) const noexcept {
    return from + (column_ + columns_ - from % columns_) % columns_;
  }
  // Calls f with this rank's rows or columns of blocks from that one on. @{
  template <class F>
  void for_rows(std::size_t from, F&& f) const {
    for (std::size_t i = first_row(from); i < blocks_; i += rows_) f(i);
  }
  template <class F>
  void for_columns(std::size_t from, F&& f) const {
    for (std::size_t j = first_column(from); j < blocks_; j += columns_) f(j);
  }
  // @}
  // Calls f(i, j) with this rank's blocks from that row and column on, column by column.
  template <class F>
  void for_blocks(std::size_t from, F&& f) const {
    for_columns(from, [&](std::size_t j) { for_rows(from, [&](std::size_t i) { f(i, j); }); });
  }

  // Where a block is at its rank: those of a column follow each other. Every rank has as much room.
  [[nodiscard]] std::size_t place(std::size_t i, std::size_t j) const noexcept {
    return j / columns_ * room_in_column() + i / rows_;
  }
  [[nodiscard]] std::size_t room_in_column() const noexcept {
    return (blocks_ + rows_ - 1) / rows_;
  }
  [[nodiscard]] std::size_t room_in_row() const noexcept {
    return (blocks_ + columns_ - 1) / columns_;
  }
  [[nodiscard]] std::size_t room() const noexcept { return room_in_column() * room_in_row(); }

 private:
  static std::size_t rows_of(std::size_t ranks) {
    std::size_t rows = 1;
    for (std::size_t r = 1; r * r <= ranks; ++r)
      if (ranks % r == 0) rows = r;
    return rows;
  }

  std::size_t n_;
  std::size_t blocks_;
  std::size_t rows_;
  std::size_t columns_;
  std::size_t row_;
  std::size_t column_;
};

inline void fill(std::span<block> mine, const grid& of, std::uint64_t seed) {
  of.for_blocks(
      0, [&](std::size_t i, std::size_t j) { fill(mine[of.place(i, j)], seed, of.n(), i, j); });
}

// All blocks are here.
inline void factor_serially(std::span<block> all, const grid& of) {
  const auto at = [&](std::size_t i, std::size_t j) -> block& { return all[of.place(i, j)]; };
  for (std::size_t k = 0; k < of.blocks(); ++k) {
    factor(at(k, k));
    for (std::size_t i = k + 1; i < of.blocks(); ++i) {
      solve_left(at(i, k), at(k, k));
      solve_upper(at(k, i), at(k, k));
    }
    of.for_blocks(k + 1,
                  [&](std::size_t i, std::size_t j) { update(at(i, j), at(i, k), at(k, j)); });
  }
}

// The operations are those of the serial reference, in the same order for each element.
inline bool equals_reference(std::span<const block> mine, const grid& of, std::uint64_t seed) {
  const grid whole(of.n(), 1, 0);
  std::vector<block> all(whole.room());
  fill(all, whole, seed);
  factor_serially(all, whole);
  bool right = true;
  of.for_blocks(0, [&](std::size_t i, std::size_t j) {
    right = right && mine[of.place(i, j)].values == all[whole.place(i, j)].values;
  });
  return right;
}

// Is LUx = Ax for a vector x? `sum` adds up a vector over all ranks.
template <class Sum>
bool is_product(std::span<const block> mine, const grid& of, std::uint64_t seed, Sum&& sum) {
  const std::size_t length = of.blocks() * edge;
  const auto x = [&](std::size_t i) { return random_unit(seed + 1, i) - 0.5; };
  const auto for_elements = [&](auto&& f) {
    of.for_blocks(0, [&](std::size_t i, std::size_t j) {
      const block& part = mine[of.place(i, j)];
      for (std::size_t r = 0; r < edge; ++r)
        for (std::size_t c = 0; c < edge; ++c) f(i * edge + r, j * edge + c, part.row(r)[c]);
    });
  };
  std::vector<double> ux(length);
  for_elements([&](std::size_t i, std::size_t j, double value) {
    if (i <= j) ux[i] += value * x(j);
  });
  sum(ux);
  std::vector<double> difference(length), ax(length);
  for_elements([&](std::size_t i, std::size_t j, double value) {
    const double product = element_at(seed, of.n(), i, j) * x(j);
    ax[i] += product;
    difference[i] += (i > j ? value * ux[j] : i == j ? ux[i] : 0) - product;
  });
  sum(ax);
  sum(difference);
  const double bound = std::abs(std::ranges::max(ax, {}, [](double v) { return std::abs(v); })) *
                       static_cast<double>(of.n()) * std::numeric_limits<double>::epsilon();
  return std::ranges::all_of(difference, [&](double d) { return std::abs(d) <= bound; });
}

inline constexpr std::size_t most_compared = 512;  // rows: beyond, the reference takes too long

template <class Sum>
bool is_right(std::span<const block> mine, const grid& of, std::uint64_t seed, Sum&& sum) {
  const bool right = is_product(mine, of, seed, sum);
  return right && (of.n() > most_compared || equals_reference(mine, of, seed));
}

}  // namespace apps::lu
