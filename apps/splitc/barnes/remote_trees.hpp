// The other ranks' trees as far as they are needed here: a software cache of cells. What it lacks
// it reads once, and it is emptied in each step.
#pragma once

#include "../../common/barnes_part.hpp"
#include "../../common/splitc_program.hpp"

#include <vector>

namespace apps::barnes {

class remote_trees {
 public:
  remote_trees(world& w, const spread_array<cell>& cells, const spread_array<point_mass>& bodies)
      : w_(w), cells_(cells), bodies_(bodies), copies_(w.ranks()) {}

  // Reads all that walks for these bodies will open. `roots` are those of all ranks' trees.
  void fetch(const part& mine, const std::vector<cell>& roots, own_counts& counts);
  // By rank, and in the place of this rank its own.
  [[nodiscard]] std::vector<tree> with(const tree& own) const;

 private:
  // The children of a cell follow each other in a copy, too.
  struct copy {
    std::vector<cell> cells;
    std::vector<point_mass> bodies;
    std::size_t examined = 0;  // these cells have their children, if they need them
  };

  bool get_next(rank_id of, const part& mine, own_counts& counts);

  world& w_;
  const spread_array<cell>& cells_;
  const spread_array<point_mass>& bodies_;
  std::vector<copy> copies_;
};

}  // namespace apps::barnes
