// The torus of mesh, and the serial computation on all of it.
#pragma once

#include "../../common/nist_program.hpp"

#include <array>

namespace apps::nist::mesh {

// Rank r is in row r / columns. A row or a column of one rank has it as its own neighbour.
struct torus {
  std::size_t rows;
  std::size_t columns;

  // Side 0 is north, 1 west, 2 east, 3 south.
  [[nodiscard]] constexpr rank_id neighbour(rank_id of, std::size_t side) const noexcept {
    const std::array<std::size_t, 4> down{rows - 1, 0, 0, 1};
    const std::array<std::size_t, 4> right{0, columns - 1, 1, 0};
    const std::size_t row = (of / columns + down[side]) % rows;
    const std::size_t column = (of % columns + right[side]) % columns;
    return static_cast<rank_id>(row * columns + column);
  }
};

inline constexpr std::size_t sides = 4;

// The side on which a neighbour has this rank.
constexpr std::size_t opposite(std::size_t side) noexcept { return sides - 1 - side; }

// Of all ranks, with no more rows than columns.
constexpr torus most_square(std::size_t ranks) noexcept {
  std::size_t rows = 1;
  for (std::size_t i = 2; i * i <= ranks; ++i)
    if (ranks % i == 0) rows = i;
  return {rows, ranks / rows};
}

// The data of all ranks, one after the other, as one processor computes them.
inline std::vector<word> serial_result(std::uint64_t seed, const torus& of, std::size_t length,
                                       std::uint64_t iterations, std::size_t compute) {
  const std::size_t ranks = of.rows * of.columns;
  std::vector<word> now = first_words(seed, 0, ranks * length);
  std::vector<word> next(now.size());
  const multiplication add(compute);
  for (; iterations > 0; --iterations, now.swap(next))
    for (rank_id rank = 0; rank < ranks; ++rank)
      for (std::size_t i = 0; i < length; ++i) {
        const word own = now[rank * length + i];
        word& sum = next[rank * length + i];
        sum = add(own, own);
        for (std::size_t side = 0; side < sides; ++side)
          sum = add(sum, now[of.neighbour(rank, side) * length + i]);
      }
  return now;
}

}  // namespace apps::nist::mesh
