#include "components.hpp"

#include <algorithm>
#include <utility>

namespace apps::connect {

components::components(world& w, const mesh& of)
    : w_(w),
      mesh_(of),
      block_(of.nodes() / w.ranks()),
      first_(w.rank() * block_),
      edges_(of.edges_of(first_, block_)),
      parents_(w.spread<node>(of.nodes())),
      here_(parents_.mine(), first_) {}

void components::join_here() {
  here_.join(edges_, mesh_.columns());
  // Other ranks enter by these nodes: so they find a root by one read.
  here_.flatten(std::min(block_, mesh_.columns()));
  for (const auto& [from, to] : mesh_.edges_across(first_ + block_))
    if (from >= first_) border_.push_back({here_.root(from), to});
  for (const edge& each : border_) roots_.push_back(each.from);
  for (const auto& [from, to] : mesh_.edges_across(first_))
    if (to - first_ < block_) roots_.push_back(here_.root(to));
  std::ranges::sort(roots_);
  roots_.erase(std::unique(roots_.begin(), roots_.end()), roots_.end());
}

// Each round hooks every root but the lowest of those that edges connect, so it ends.
void components::join_all(own_counts& counts) {
  w_.barrier();  // all ranks have their roots
  for (auto& [from, to] : border_) get_parent(to, to, counts);
  w_.sync();
  contract();
  ++counts.barriers;
  // No rank hooks before all have read.
  while (w_.all_reduce(border_.size(), std::plus<>()) != 0) {
    hook();
    w_.all_store_sync();
    std::vector<node*> ends;
    for (auto& [from, to] : border_) ends.insert(ends.end(), {&from, &to});
    climb(std::move(ends), counts);
    contract();
    counts.barriers += 2;
  }
  ++counts.barriers;
}

// Roots stay what they are now.
void components::label(own_counts& counts) {
  std::vector<node> labels = roots_;
  std::vector<node*> climbers;
  for (node& each : labels) climbers.push_back(&each);
  climb(std::move(climbers), counts);
  w_.barrier();  // what follows answers no reads
  ++counts.barriers;
  for (std::size_t i = 0; i < roots_.size(); ++i) parents_.mine()[roots_[i] - first_] = labels[i];
  here_.flatten(block_);
}

void components::get_parent(node& here, node of, own_counts& counts) {
  const global_ptr<node> there = parent_of(of);
  if (there.rank() != w_.rank()) ++counts.reads;
  w_.get(here, there);
}

// Each moves on to its parent, all at once, until it is at its root.
void components::climb(std::vector<node*> climbers, own_counts& counts) {
  std::vector<node> parents;
  while (!climbers.empty()) {
    parents.resize(climbers.size());
    for (std::size_t i = 0; i < climbers.size(); ++i) get_parent(parents[i], *climbers[i], counts);
    w_.sync();
    const node* parent = parents.data();
    std::erase_if(climbers, [&](node* one) {
      const node before = std::exchange(*one, *parent++);
      return *one == before;
    });
  }
}

// What connects a component to itself goes, and every other edge is there once.
void components::contract() {
  for (auto& [from, to] : border_)
    if (from > to) std::swap(from, to);
  std::erase_if(border_, [](const edge& each) { return each.from == each.to; });
  std::ranges::sort(border_);
  border_.erase(std::unique(border_.begin(), border_.end()), border_.end());
}

// A root gets a lower one as its parent. Where there are several, the last store decides: edges to
// the others remain for the next round.
void components::hook() {
  for (const auto& [lower, higher] : border_) w_.store(parent_of(higher), lower);
}

}  // namespace apps::connect
