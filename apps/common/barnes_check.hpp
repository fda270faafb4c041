// The serial reference of barnes, and the check of the result.
#pragma once

#include "barnes_part.hpp"

namespace apps::barnes {

// All ranks' parts, in one process.
class serial_reference {
 public:
  serial_reference(std::uint64_t seed, std::size_t ranks, std::size_t n) {
    const std::size_t block = n / ranks;
    for (std::size_t r = 0; r < ranks; ++r) {
      cells_.emplace_back(most_cells(block));
      places_.emplace_back(block);
      parts_.emplace_back(make_bodies(seed, r * block, block, n), cells_.back(), places_.back());
    }
  }

  void build_trees() {
    box around = box_of(parts_.front().bodies());
    for (const part& each : parts_) around.include(box_of(each.bodies()));
    for (part& each : parts_) each.build_tree(cube(around));
  }
  void find_accelerations() {
    std::vector<tree> trees;
    for (const part& each : parts_) trees.push_back(each.own_tree());
    accelerations_.clear();
    for (const part& each : parts_) accelerations_.push_back(each.accelerations(trees));
  }
  void move() {
    for (std::size_t r = 0; r < parts_.size(); ++r) parts_[r].move(accelerations_[r]);
  }
  void step() {
    build_trees();
    find_accelerations();
    move();
  }

  [[nodiscard]] const std::vector<body>& bodies(std::size_t rank) const noexcept {
    return parts_[rank].bodies();
  }
  // Are the accelerations, of some bodies, those of all others without trees, but for 1 %? Before
  // they move.
  [[nodiscard]] bool is_near_direct_sum() const {
    constexpr std::size_t some = 64;
    double sum2 = 0;
    double errors2 = 0;
    for (std::size_t i = 0; i < some; ++i) {
      const std::size_t r = i % parts_.size();
      const std::size_t of = (2 * i + 1) * bodies(r).size() / (2 * some);
      const vec exact = direct_acceleration(bodies(r)[of].here.at);
      const vec error = accelerations_[r][of] - exact;
      sum2 += dot(exact, exact);
      errors2 += dot(error, error);
    }
    return errors2 < 0.01 * 0.01 * sum2;
  }

 private:
  [[nodiscard]] vec direct_acceleration(vec at) const {
    vec sum{0, 0, 0};
    for (const part& each : parts_)
      for (const body& one : each.bodies()) {
        const vec off = one.here.at - at;
        const double distance2 = dot(off, off) + softening2;
        sum = sum + one.here.mass / (distance2 * std::sqrt(distance2)) * off;
      }
    return sum;
  }

  std::vector<std::vector<cell>> cells_;
  std::vector<std::vector<point_mass>> places_;
  std::vector<part> parts_;
  std::vector<std::vector<vec>> accelerations_;
};

// Are these a rank's bodies after all steps? The trees, and the order of the sums, are those of the
// reference, so they are the same to the last bit.
inline bool are_right(std::span<const body> bodies, std::uint64_t seed, std::size_t rank,
                      std::size_t ranks, std::size_t n) {
  serial_reference all(seed, ranks, n);
  for (unsigned i = 1; i < steps; ++i) all.step();
  all.build_trees();
  all.find_accelerations();
  const bool is_near = all.is_near_direct_sum();
  all.move();
  return is_near && std::ranges::equal(bodies, all.bodies(rank));
}

}  // namespace apps::barnes
