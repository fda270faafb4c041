// The graph of em3d: electric and magnetic nodes, each of which depends on nodes of the other kind.
// Edges are a function of the seed, so any rank knows those of all; and the serial reference.
#pragma once

#include "options.hpp"
#include "random.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace apps::em3d {

inline constexpr unsigned degree = 20;
inline constexpr double remote_part = 0.4;  // of the edges, where there are several ranks

enum kind : unsigned { electric, magnetic };
constexpr kind other(kind one) noexcept { return one == electric ? magnetic : electric; }

// A node, by its rank and its number there.
struct node_id {
  std::uint32_t rank;
  std::uint32_t index;

  friend bool operator==(const node_id&, const node_id&) = default;
  friend auto operator<=>(const node_id&, const node_id&) = default;
};

struct edge {
  node_id from;  // of the other kind
  double weight;
};

class graph {
 public:
  graph(std::uint64_t seed, std::size_t ranks, std::size_t nodes_of_a_kind)
      : seed_(seed), ranks_(ranks), nodes_(nodes_of_a_kind / ranks) {}

  [[nodiscard]] std::size_t ranks() const noexcept { return ranks_; }
  // Of a kind at each rank.
  [[nodiscard]] std::size_t nodes() const noexcept { return nodes_; }

  [[nodiscard]] double first_value(kind of, node_id node) const noexcept {
    return random_unit(seed_ + of, node.rank * nodes_ + node.index);
  }
  // Edge `number` of `degree`, to `node` of this kind.
  [[nodiscard]] edge edge_to(kind of, node_id node, unsigned number) const noexcept {
    const std::uint64_t at = ((node.rank * nodes_ + node.index) * degree + number) * 4;
    const std::uint64_t seed = seed_ + 2 + of;
    edge out{node, random_unit(seed, at) / degree};
    if (ranks_ > 1 && random_unit(seed, at + 1) < remote_part)
      out.from.rank = static_cast<std::uint32_t>(
          (node.rank + 1 + random_word(seed, at + 2) % (ranks_ - 1)) % ranks_);
    out.from.index = static_cast<std::uint32_t>(random_word(seed, at + 3) % nodes_);
    return out;
  }
  // The nodes at other ranks that nodes of this kind at this rank depend on, sorted, each once.
  [[nodiscard]] std::vector<node_id> remote_nodes(kind of, std::uint32_t rank) const {
    std::vector<node_id> out;
    for (std::uint32_t i = 0; i < nodes_; ++i)
      for (unsigned d = 0; d < degree; ++d)
        if (const node_id from = edge_to(of, {rank, i}, d).from; from.rank != rank)
          out.push_back(from);
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

 private:
  std::uint64_t seed_;
  std::size_t ranks_;
  std::size_t nodes_;
};

// What a node computes from those it depends on. The order of the sum is that of the edges.
struct weighted_source {
  const double* from;
  double weight;
};
inline void update(std::vector<double>& values, const std::vector<weighted_source>& sources) {
  const weighted_source* next = sources.data();
  for (double& value : values)
    for (unsigned d = 0; d < degree; ++d, ++next) value -= next->weight * *next->from;
}

// The values of all nodes after so many steps, computed by one process.
class serial_reference {
 public:
  explicit serial_reference(const graph& of) {
    const std::size_t n = of.ranks() * of.nodes();
    for (const kind each : {electric, magnetic}) values_[each].resize(n);
    for (const kind each : {electric, magnetic}) {
      for (std::uint32_t rank = 0; rank < of.ranks(); ++rank)
        for (std::uint32_t i = 0; i < of.nodes(); ++i) {
          values_[each][rank * of.nodes() + i] = of.first_value(each, {rank, i});
          for (unsigned d = 0; d < degree; ++d) {
            const edge e = of.edge_to(each, {rank, i}, d);
            sources_[each].push_back(
                {&values_[other(each)][e.from.rank * of.nodes() + e.from.index], e.weight});
          }
        }
    }
  }
  void step() {
    update(values_[electric], sources_[electric]);
    update(values_[magnetic], sources_[magnetic]);
  }
  [[nodiscard]] const std::vector<double>& values(kind of) const noexcept { return values_[of]; }

 private:
  std::array<std::vector<double>, 2> values_;
  std::array<std::vector<weighted_source>, 2> sources_;
};

inline unsigned steps_of(const options& from) { return from.size == input_size::paper ? 100 : 20; }

// Are the values of a rank's nodes of each kind those after so many steps? The sums are in the same
// order, so they are the same to the last bit.
template <class Parts>
bool are_right(const graph& of, unsigned steps, std::size_t rank, const Parts& parts) {
  serial_reference all(of);
  for (unsigned i = 0; i < steps; ++i) all.step();
  return std::ranges::all_of(std::array{electric, magnetic}, [&](kind each) {
    const std::span whole(all.values(each));
    return std::ranges::equal(parts[each].values, whole.subspan(rank * of.nodes(), of.nodes()));
  });
}

}  // namespace apps::em3d
