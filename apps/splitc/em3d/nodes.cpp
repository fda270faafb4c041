#include "nodes.hpp"

#include <algorithm>

namespace apps::em3d {
namespace {

using parts = std::array<nodes, 2>;

// Of a kind, each rank's values.
using all_values = std::vector<global_ptr<double>>;

void add_edges(const graph& of, kind each, std::uint32_t rank, const all_values& far, parts& all) {
  nodes& mine = all[each];
  nodes& theirs = all[other(each)];
  const std::vector<node_id> remote = of.remote_nodes(each, rank);
  theirs.ghosts.resize(remote.size());
  for (const node_id& one : remote) theirs.ghosts_of.push_back(far[one.rank] + one.index);
  for (std::uint32_t i = 0; i < of.nodes(); ++i)
    for (unsigned d = 0; d < degree; ++d) {
      const auto [from, weight] = of.edge_to(each, {rank, i}, d);
      const auto ghost = std::ranges::lower_bound(remote, from) - remote.begin();
      mine.global_sources.push_back({far[from.rank] + from.index, weight});
      mine.sources.push_back({from.rank == rank ? &theirs.values[from.index]
                                                : &theirs.ghosts[static_cast<std::size_t>(ghost)],
                              weight});
    }
}

// Where that rank keeps its ghosts of nodes of this one: it has made them in the same order.
void add_pushes(const graph& of, kind each, std::uint32_t rank, std::uint32_t there,
                global_ptr<double> ghosts, parts& all) {
  nodes& mine = all[each];
  const std::vector<node_id> remote = of.remote_nodes(other(each), there);
  const auto begin = std::ranges::lower_bound(remote, node_id{rank, 0});
  push_block block{{}, ghosts + (begin - remote.begin())};
  for (auto one = begin; one != remote.end() && one->rank == rank; ++one) {
    mine.pushes.push_back({one->index, ghosts + (one - remote.begin())});
    block.indices.push_back(one->index);
  }
  if (!block.indices.empty()) mine.push_blocks.push_back(std::move(block));
}

}  // namespace

std::array<nodes, 2> make_nodes(world& w, const graph& of) {
  parts all;
  std::array<all_values, 2> far;
  for (const kind each : {electric, magnetic}) {
    for (std::uint32_t i = 0; i < of.nodes(); ++i)
      all[each].values.push_back(of.first_value(each, {w.rank(), i}));
    far[each] = w.all_gather(w.global(all[each].values.data()));
  }
  for (const kind each : {electric, magnetic}) add_edges(of, each, w.rank(), far[other(each)], all);
  for (const kind each : {electric, magnetic}) {
    const auto ghosts = w.all_gather(w.global(all[each].ghosts.data()));
    for (rank_id r = 0; r < w.ranks(); ++r)
      if (r != w.rank()) add_pushes(of, each, w.rank(), r, ghosts[r], all);
  }
  return all;
}

}  // namespace apps::em3d
