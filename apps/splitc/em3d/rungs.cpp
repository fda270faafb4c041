#include "rungs.hpp"

#include <iterator>
#include <utility>

namespace apps::em3d {
namespace {

// Edge by edge, a read of whatever is not here.
void simple(world& w, nodes& mine, nodes&, own_counts& counts) {
  const nodes::global_source* next = mine.global_sources.data();
  for (double& value : mine.values)
    for (unsigned d = 0; d < degree; ++d, ++next) {
      if (next->from.rank() != w.rank()) ++counts.reads;
      value -= next->weight * *next->from;
    }
  w.barrier();
}

// Each remote node is read once, into its ghost.
void bundle(world& w, nodes& mine, nodes& theirs, own_counts& counts) {
  for (std::size_t i = 0; i < theirs.ghosts.size(); ++i) theirs.ghosts[i] = *theirs.ghosts_of[i];
  counts.reads += theirs.ghosts.size();
  const weighted_source* next = mine.sources.data();
  for (double& value : mine.values)
    for (unsigned d = 0; d < degree; ++d, ++next) value -= next->weight * *next->from;
  w.barrier();
}

// The same, and the sum of a node stays in a register, edges taken four at a time.
void compute_unrolled(nodes& mine) {
  static_assert(degree % 4 == 0);
  const weighted_source* next = mine.sources.data();
  for (double& value : mine.values) {
    double sum = value;
    for (unsigned d = 0; d < degree; d += 4, next += 4) {
      sum -= next[0].weight * *next[0].from;
      sum -= next[1].weight * *next[1].from;
      sum -= next[2].weight * *next[2].from;
      sum -= next[3].weight * *next[3].from;
    }
    value = sum;
  }
}

void unroll(world& w, nodes& mine, nodes& theirs, own_counts& counts) {
  for (std::size_t i = 0; i < theirs.ghosts.size(); ++i) theirs.ghosts[i] = *theirs.ghosts_of[i];
  counts.reads += theirs.ghosts.size();
  compute_unrolled(mine);
  w.barrier();
}

// All reads are under way at once.
void get(world& w, nodes& mine, nodes& theirs, own_counts& counts) {
  for (std::size_t i = 0; i < theirs.ghosts.size(); ++i)
    w.get(theirs.ghosts[i], theirs.ghosts_of[i]);
  w.sync();
  counts.reads += theirs.ghosts.size();
  compute_unrolled(mine);
  w.barrier();
}

// The owner writes: no rank asks, but each write is answered.
void put(world& w, nodes& mine, nodes& theirs, own_counts&) {
  for (const push& one : theirs.pushes) w.put(one.to, theirs.values[one.index]);
  w.sync();
  w.barrier();
  compute_unrolled(mine);
}

// The owner writes, one way.
void store(world& w, nodes& mine, nodes& theirs, own_counts&) {
  for (const push& one : theirs.pushes) w.store(one.to, theirs.values[one.index]);
  w.all_store_sync();
  compute_unrolled(mine);
}

// The owner writes all values for a rank at once.
void bulk(world& w, nodes& mine, nodes& theirs, own_counts&) {
  std::vector<double> packed;
  for (const push_block& block : theirs.push_blocks) {
    packed.clear();
    for (const std::uint32_t index : block.indices) packed.push_back(theirs.values[index]);
    w.bulk_store(block.to, packed.data(), packed.size());
  }
  w.all_store_sync();
  compute_unrolled(mine);
}

}  // namespace

rung find_rung(std::string_view name) {
  constexpr std::pair<std::string_view, rung> all[] = {
      {"simple", simple}, {"bundle", bundle}, {"unroll", unroll}, {"get", get},
      {"put", put},       {"store", store},   {"bulk", bulk}};
  for (const auto& [known, how] : all)
    if (known == name) return how;
  return nullptr;
}

}  // namespace apps::em3d
