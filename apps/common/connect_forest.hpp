// Components of connect as trees: each node has a parent in its component with a number that is not
// higher, and the root, the node with the lowest, is its own.
#pragma once

#include "connect_mesh.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace apps::connect {

// Of the nodes of one rank, from `first` on.
class forest {
 public:
  forest(std::span<node> parents, node first) : parents_(parents), first_(first) {
    std::iota(parents_.begin(), parents_.end(), first);
  }

  // As long as no parent is at another rank. Shortens the way to the root.
  node root(node one) noexcept {
    while (parent(one) != one) one = parent(one) = parent(parent(one));
    return one;
  }
  // Joins the components at the ends of all edges between two of these nodes.
  void join(std::span<const node_edges> edges, node columns) noexcept {
    const std::size_t count = parents_.size();
    for (std::size_t i = 0; i < count; ++i) {
      const node one = first_ + static_cast<node>(i);
      if ((edges[i] & to_the_right) != 0 && count - i > 1) join(one, one + 1);
      if ((edges[i] & down) != 0 && count - i > columns) join(one, one + columns);
    }
  }
  // Each of the first nodes gets its root as its parent. Parents at other ranks have to be roots.
  void flatten(std::size_t count) noexcept {
    for (node& parent_of : parents_.first(count))
      if (parent_of >= first_) parent_of = parent(parent_of);
  }

 private:
  [[nodiscard]] node& parent(node one) noexcept { return parents_[one - first_]; }

  void join(node one, node another) noexcept {
    one = root(one);
    another = root(another);
    parent(std::max(one, another)) = std::min(one, another);
  }

  std::span<node> parents_;
  node first_;
};

// Are these the labels of the nodes from `first` on?
inline bool are_right(const mesh& of, node first, std::span<const node> labels) {
  const std::vector<node> all = labels_by_search(of);
  return std::ranges::equal(labels, std::span(all).subspan(first, labels.size()));
}

}  // namespace apps::connect
