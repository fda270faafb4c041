// The bodies of a rank with their tree: what a rank does by itself in a step.
#pragma once

#include "barnes_forces.hpp"

#include <utility>

namespace apps::barnes {

class part {
 public:
  // There is room for most_cells() cells, and for all bodies.
  part(std::vector<body> bodies, std::span<cell> cells, std::span<point_mass> places)
      : bodies_(std::move(bodies)), cells_(cells), places_(places) {}

  [[nodiscard]] const std::vector<body>& bodies() const noexcept { return bodies_; }
  [[nodiscard]] tree own_tree() const noexcept { return {cells_.first(boxes_.size()), places_}; }

  // Sorts the bodies, too.
  void build_tree(const cube& root) {
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    for (const body& one : bodies_) order.emplace_back(key_of(root, one.here.at), order.size());
    std::ranges::sort(order);
    const std::vector<body> before = std::exchange(bodies_, {});
    keys_.clear();
    for (const auto& [key, i] : order) {
      keys_.push_back(key);
      places_[bodies_.size()] = before[i].here;
      bodies_.push_back(before[i]);
    }
    tree_builder(root.side, keys_, places_, cells_, boxes_).build();
  }

  // Does a walk for any of these bodies open that cell of another rank?
  [[nodiscard]] bool opens(const cell& other) const { return opens(other, 0); }

  // By all trees, of which one is this part's own. The leaves of that are the groups.
  [[nodiscard]] std::vector<vec> accelerations(std::span<const tree> all) const {
    std::vector<vec> out(bodies_.size());
    attractors of_group;
    for (std::size_t at = 0; at < boxes_.size(); ++at) {
      const cell& group = cells_[at];
      if (group.bodies == 0) continue;
      of_group.clear();
      for (const tree& each : all) of_group.add(each, boxes_[at]);
      of_group.finish();
      for (std::size_t i = group.first; i < group.first + group.bodies; ++i)
        out[i] = of_group.acceleration(places_[i].at);
    }
    return out;
  }
  void move(std::span<const vec> accelerations) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      body& one = bodies_[i];
      one.velocity = one.velocity + time_step * accelerations[i];
      one.here.at = one.here.at + time_step * one.velocity;
    }
  }

 private:
  // For a body of the cell `at`.
  [[nodiscard]] bool opens(const cell& other, std::size_t at) const {
    if (!other.is_opened_from(boxes_[at])) return false;
    const cell& mine = cells_[at];
    for (std::uint32_t i = 0; i < mine.children; ++i)
      if (opens(other, mine.first + i)) return true;
    return mine.children == 0;
  }

  std::vector<body> bodies_;
  std::vector<std::uint64_t> keys_;
  std::span<cell> cells_;
  std::span<point_mass> places_;
  std::vector<box> boxes_;  // around the bodies of each cell
};

}  // namespace apps::barnes
