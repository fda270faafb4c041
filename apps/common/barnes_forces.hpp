// What attracts bodies, found by walking trees, and how they move.
#pragma once

#include "barnes_tree.hpp"

namespace apps::barnes {

inline constexpr double softening2 = 1e-4;  // no two bodies are nearer than its root

// What attracts the bodies of a group, which are near each other: one list for all of them.
class attractors {
 public:
  void clear() noexcept {
    for (std::vector<double>* each : {&x_, &y_, &z_, &mass_}) each->clear();
  }
  // Walks a tree on behalf of bodies in this box.
  void add(const tree& of, const box& group) {
    waiting_.assign(1, 0);
    while (!waiting_.empty()) {
      const cell& one = of.cells[waiting_.back()];
      waiting_.pop_back();
      if (!one.is_opened_from(group)) {
        add(one.all);
        continue;
      }
      for (std::uint32_t i = 0; i < one.bodies; ++i) add(of.bodies[one.first + i]);
      for (std::uint32_t i = 0; i < one.children; ++i) waiting_.push_back(one.first + i);
    }
  }
  // To be called when all is added.
  void finish() {
    while (x_.size() % lanes != 0) add(point_mass{});  // attracts nothing
  }
  // In several sums, so that the compiler can use vectors.
  [[nodiscard]] vec acceleration(vec at) const noexcept {
    std::array<double, lanes> x{}, y{}, z{};
    for (std::size_t i = 0; i < x_.size(); i += lanes)
      for (std::size_t k = 0; k < lanes; ++k) {
        const double dx = x_[i + k] - at.x;
        const double dy = y_[i + k] - at.y;
        const double dz = z_[i + k] - at.z;
        const double distance2 = dx * dx + dy * dy + dz * dz + softening2;
        const double pull = mass_[i + k] / (distance2 * std::sqrt(distance2));
        x[k] += pull * dx;
        y[k] += pull * dy;
        z[k] += pull * dz;
      }
    return {x[0] + x[1] + x[2] + x[3], y[0] + y[1] + y[2] + y[3], z[0] + z[1] + z[2] + z[3]};
  }

 private:
  static constexpr std::size_t lanes = 4;

  void add(const point_mass& one) {
    x_.push_back(one.at.x);
    y_.push_back(one.at.y);
    z_.push_back(one.at.z);
    mass_.push_back(one.mass);
  }

  std::vector<double> x_, y_, z_, mass_;
  std::vector<std::uint64_t> waiting_;  // cells to visit
};

}  // namespace apps::barnes
