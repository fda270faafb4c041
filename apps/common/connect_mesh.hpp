// The random graph of connect: a square mesh of nodes, of whose edges a part exists, each with the
// same probability. Edges are a function of the seed, so any rank knows those of all.
#pragma once

#include "random.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace apps::connect {

using node = std::uint32_t;  // its number, row by row

struct edge {
  node from;
  node to;

  friend auto operator<=>(const edge&, const edge&) = default;
};

// Of a node, the edges that lead to its two neighbours with higher numbers: flags in a byte.
using node_edges = std::uint8_t;
inline constexpr node_edges to_the_right = 1;
inline constexpr node_edges down = 2;

class mesh {
 public:
  // Half of the edges are where components begin to span the whole mesh.
  mesh(std::uint64_t seed, std::size_t nodes, double part_of_edges = 0.3)
      : seed_(seed),
        nodes_(checked(nodes)),
        columns_(static_cast<node>(std::ceil(std::sqrt(static_cast<double>(nodes))))),
        existing_(static_cast<std::uint64_t>(part_of_edges * 0x1p32)) {}

  [[nodiscard]] node nodes() const noexcept { return nodes_; }
  // The last row may be shorter.
  [[nodiscard]] node columns() const noexcept { return columns_; }

  [[nodiscard]] node_edges edges_of(node one) const noexcept {
    const std::uint64_t random = random_word(seed_, one);
    node_edges out = 0;
    if ((random & 0xffffffffU) < existing_ && one % columns_ != columns_ - 1 && nodes_ - one > 1)
      out |= to_the_right;
    if (random >> 32 < existing_ && nodes_ - one > columns_) out |= down;
    return out;
  }
  // Of the nodes from `first` on.
  [[nodiscard]] std::vector<node_edges> edges_of(node first, node count) const {
    std::vector<node_edges> out(count);
    for (node i = 0; i < count; ++i) out[i] = edges_of(first + i);
    return out;
  }
  // Those that lead from the nodes in front of `border` to it and nodes behind it.
  [[nodiscard]] std::vector<edge> edges_across(node border) const {
    std::vector<edge> out;
    for (node one = border - std::min(border, columns_); one < border; ++one) {
      const node_edges here = edges_of(one);
      if ((here & to_the_right) != 0 && one + 1 == border) out.push_back({one, border});
      if ((here & down) != 0 && one + columns_ >= border) out.push_back({one, one + columns_});
    }
    return out;
  }

 private:
  static node checked(std::size_t nodes) {
    constexpr std::size_t most = std::numeric_limits<node>::max() - 1;
    if (nodes > most)
      throw std::length_error("connect has at most " + std::to_string(most) + " nodes, not " +
                              std::to_string(nodes));
    return static_cast<node>(nodes);
  }

  std::uint64_t seed_;
  node nodes_;
  node columns_;
  std::uint64_t existing_;  // of 2^32 edges
};

// The smallest number in the component of each node, by a search from one node after the other.
inline std::vector<node> labels_by_search(const mesh& of) {
  const std::vector<node_edges> edges = of.edges_of(0, of.nodes());
  constexpr node none = ~node{0};
  std::vector<node> labels(of.nodes(), none);
  std::vector<node> reached;
  const auto reach = [&](node one, node label) {
    if (labels[one] != none) return;
    labels[one] = label;
    reached.push_back(one);
  };
  for (node start = 0; start < of.nodes(); ++start) {
    reach(start, start);
    while (!reached.empty()) {
      const node one = reached.back();
      reached.pop_back();
      if ((edges[one] & to_the_right) != 0) reach(one + 1, start);
      if ((edges[one] & down) != 0) reach(one + of.columns(), start);
      if (one >= 1 && (edges[one - 1] & to_the_right) != 0) reach(one - 1, start);
      if (one >= of.columns() && (edges[one - of.columns()] & down) != 0)
        reach(one - of.columns(), start);
    }
  }
  return labels;
}

}  // namespace apps::connect
