// The octree over the bodies of a rank, and how it is built. Cells lie in an array such that the
// children of one follow each other, and so do the bodies of a leaf: one read brings them.
#pragma once

#include "barnes_bodies.hpp"

#include <array>
#include <bit>

namespace apps::barnes {

inline constexpr double opening_angle = 0.7;  // of a cell that is not opened, at most
inline constexpr std::size_t leaf_bodies = 32;

// Its bodies together, and where its parts are: its children or, of a leaf, its bodies. A cell
// without parts is one of a copy that lacks them.
struct cell {
  point_mass all;
  double radius2;  // from nearer than its root the cell is opened
  std::uint64_t first;
  std::uint32_t children;
  std::uint32_t bodies;

  // For a body somewhere in the box?
  [[nodiscard]] bool is_opened_from(const box& where) const noexcept {
    return where.distance2(all.at) < radius2;
  }
};

// The root is the first cell.
struct tree {
  std::span<const cell> cells;
  std::span<const point_mass> bodies;
};

// Cells of a tree over n bodies: each that is no leaf has at least two children.
constexpr std::size_t most_cells(std::size_t n) noexcept { return 2 * n; }

// Of bodies in the order of their keys in a cube.
class tree_builder {
 public:
  // `cells` is the room for them; `boxes` are those around the bodies of each.
  tree_builder(double side, std::span<const std::uint64_t> keys, std::span<const point_mass> bodies,
               std::span<cell> cells, std::vector<box>& boxes)
      : side_(side), keys_(keys), bodies_(bodies), cells_(cells), boxes_(boxes) {}

  void build() {
    boxes_.resize(1);
    fill(0, 0, keys_.size());
  }

 private:
  void fill(std::size_t at, std::size_t first, std::size_t end) {
    // A cell is the smallest cube of the curve that has all its bodies: their keys differ in the
    // last digits alone, of which the first tells the children apart.
    const int digits = (static_cast<int>(std::bit_width(keys_[first] ^ keys_[end - 1])) + 2) / 3;
    const double radius = std::ldexp(side_, digits - halvings) / opening_angle;
    cells_[at] = {{{0, 0, 0}, 0}, radius * radius, first, 0, 0};
    if (digits == 0 || end - first <= leaf_bodies)
      fill_leaf(at, first, end);
    else
      fill_inner(at, first, end, (std::uint64_t{1} << (3 * (digits - 1))) - 1);
  }
  void fill_leaf(std::size_t at, std::size_t first, std::size_t end) {
    cells_[at].bodies = static_cast<std::uint32_t>(end - first);
    boxes_[at] = {bodies_[first].at, bodies_[first].at};
    for (std::size_t i = first; i < end; ++i) add(at, bodies_[i], {bodies_[i].at, bodies_[i].at});
    finish(at);
  }
  // Keys that differ in the bits of `within` alone belong to one child.
  void fill_inner(std::size_t at, std::size_t first, std::size_t end, std::uint64_t within) {
    std::array<std::size_t, 9> bounds{first};
    std::uint32_t children = 0;
    while (bounds[children] < end) {
      const auto behind =
          std::upper_bound(keys_.begin() + offset(bounds[children]), keys_.begin() + offset(end),
                           keys_[bounds[children]] | within);
      bounds[++children] = static_cast<std::size_t>(behind - keys_.begin());
    }
    const std::size_t block = boxes_.size();
    boxes_.resize(block + children);
    cells_[at].first = block;
    cells_[at].children = children;
    for (std::uint32_t i = 0; i < children; ++i) {
      fill(block + i, bounds[i], bounds[i + 1]);
      if (i == 0) boxes_[at] = boxes_[block];
      add(at, cells_[block + i].all, boxes_[block + i]);
    }
    finish(at);
  }
  // First the sum of places, by mass.
  void add(std::size_t at, const point_mass& one, const box& around) {
    point_mass& all = cells_[at].all;
    all.at = all.at + one.mass * one.at;
    all.mass += one.mass;
    boxes_[at].include(around);
  }
  void finish(std::size_t at) {
    point_mass& all = cells_[at].all;
    all.at = (1 / all.mass) * all.at;
  }

  static std::ptrdiff_t offset(std::size_t i) noexcept { return static_cast<std::ptrdiff_t>(i); }

  double side_;
  std::span<const std::uint64_t> keys_;
  std::span<const point_mass> bodies_;
  std::span<cell> cells_;
  std::vector<box>& boxes_;
};

}  // namespace apps::barnes
