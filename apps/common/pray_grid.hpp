// A grid of cells over the scene of pray. Each cell lists the spheres that reach into it, and the
// cells are dealt to ranks in turn: a rank has the lists of its own, one behind the other.
#pragma once

#include "pray_scene.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

namespace apps::pray {

using cell_number = std::uint32_t;

class grid {
 public:
  // About a cell for each sphere.
  explicit grid(const scene& of)
      : side_(std::max<cell_number>(
            1, static_cast<cell_number>(std::cbrt(static_cast<double>(of.size()))))),
        width_(side_) {}

  [[nodiscard]] cell_number cells() const noexcept { return side_ * side_ * side_; }

  // on_cell(number) for each cell that a sphere reaches into.
  template <class OnCell>
  void for_cells_of(const sphere& one, OnCell&& on_cell) const {
    const double reach = one.radius + margin;
    const cell_place low = place_of(one.centre - vec{reach, reach, reach});
    const cell_place high = place_of(one.centre + vec{reach, reach, reach});
    for (cell_number z = low[2]; z <= high[2]; ++z)
      for (cell_number y = low[1]; y <= high[1]; ++y)
        for (cell_number x = low[0]; x <= high[0]; ++x)
          if (is_reached({x, y, z}, one.centre, reach)) on_cell(number_of({x, y, z}));
  }

  // on_cell(number, distance at which the ray leaves it) for the cells along a ray, from its start
  // on, until that returns true.
  template <class OnCell>
  void walk(const ray& along, OnCell&& on_cell) const {
    double enter = 0;
    double leave = std::numeric_limits<double>::infinity();
    const std::array from = {along.from.x, along.from.y, along.from.z};
    const std::array towards = {along.towards.x, along.towards.y, along.towards.z};
    for (std::size_t axis = 0; axis < 3; ++axis) clip(from[axis], towards[axis], enter, leave);
    if (enter >= leave) return;
    cell_place at = place_of(along.from + enter * along.towards);
    std::array<double, 3> next, step;  // the distances of the next walls, and between walls
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const cell_number wall = at[axis] + (towards[axis] > 0 ? 1 : 0);
      next[axis] = towards[axis] == 0 ? std::numeric_limits<double>::infinity()
                                      : (wall / width_ - from[axis]) / towards[axis];
      step[axis] = 1 / (width_ * std::abs(towards[axis]));
    }
    for (;;) {
      const auto axis = static_cast<std::size_t>(std::ranges::min_element(next) - next.begin());
      if (on_cell(number_of(at), next[axis])) return;
      at[axis] += towards[axis] > 0 ? 1U : ~0U;
      if (at[axis] >= side_) return;  // or below 0
      next[axis] += step[axis];
    }
  }

 private:
  using cell_place = std::array<cell_number, 3>;
  // By which rounding may move a point that is met, and much more.
  static constexpr double margin = 1e-9;

  // The part of a ray between two sides of the cube.
  static void clip(double from, double towards, double& enter, double& leave) noexcept {
    if (towards == 0) {
      if (from < 0 || from > 1) leave = 0;
      return;
    }
    const auto [near, far] = std::minmax({-from / towards, (1 - from) / towards});
    enter = std::max(enter, near);
    leave = std::min(leave, far);
  }

  [[nodiscard]] cell_number number_of(const cell_place& at) const noexcept {
    return (at[2] * side_ + at[1]) * side_ + at[0];
  }
  [[nodiscard]] cell_place place_of(vec at) const noexcept {
    const auto along = [&](double x) {
      return static_cast<cell_number>(std::clamp(x * width_, 0.0, width_ - 1));
    };
    return {along(at.x), along(at.y), along(at.z)};
  }
  [[nodiscard]] bool is_reached(const cell_place& at, vec centre, double reach) const noexcept {
    const auto off = [&](cell_number place, double x) {
      return std::max({place / width_ - x, x - (place + 1) / width_, 0.0});
    };
    const vec all = {off(at[0], centre.x), off(at[1], centre.y), off(at[2], centre.z)};
    return dot(all, all) <= reach * reach;
  }

  cell_number side_;  // in cells
  double width_;      // the same
};

// Where the list of each cell is.
class dealt_cells {
 public:
  struct list {
    std::uint32_t rank;
    std::uint32_t first;  // of all spheres that the rank has listed
    std::uint32_t size;
  };

  dealt_cells(const scene& of, const grid& in, std::size_t ranks)
      : scene_(of), grid_(in), listed_(ranks), lists_(in.cells()) {
    for (std::size_t i = 0; i < of.size(); ++i)
      in.for_cells_of(of.sphere_at(i), [&](cell_number cell) { ++lists_[cell].size; });
    for (cell_number cell = 0; cell < lists_.size(); ++cell) {
      const auto rank = static_cast<std::uint32_t>(cell % ranks);
      lists_[cell].rank = rank;
      lists_[cell].first = std::exchange(listed_[rank], listed_[rank] + lists_[cell].size);
    }
  }

  [[nodiscard]] const list& of(cell_number cell) const noexcept { return lists_[cell]; }
  // How many spheres each rank has in its lists; those in several cells count for each.
  [[nodiscard]] const std::vector<std::uint32_t>& listed() const noexcept { return listed_; }
  // The lists of that rank.
  [[nodiscard]] std::vector<sphere> make_lists(std::uint32_t rank) const {
    std::vector<sphere> out(listed_[rank]);
    std::vector<std::uint32_t> filled(lists_.size());
    for (std::size_t i = 0; i < scene_.size(); ++i) {
      const sphere one = scene_.sphere_at(i);
      grid_.for_cells_of(one, [&](cell_number cell) {
        const list& in = lists_[cell];
        if (in.rank == rank) out[in.first + filled[cell]++] = one;
      });
    }
    return out;
  }

 private:
  const scene& scene_;
  const grid& grid_;
  std::vector<std::uint32_t> listed_;  // by rank
  std::vector<list> lists_;
};

}  // namespace apps::pray
