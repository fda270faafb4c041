// Barnes and Hut's method for the motion of bodies that attract each other: far bodies attract as
// one, by a tree of cells. Each rank has bodies that are near each other, and they remain its own.
// In each of a few time steps:
//
//   tree      the ranks agree on a cube around all bodies, and each builds the tree of its own;
//   fetch     it reads the cells and bodies of the others' trees that walks for its bodies will
//             open, into a cache: from the roots down, all that is missing at one depth at once. A
//             read brings all children of a cell, or all bodies of a leaf;
//   forces    it walks all trees for each leaf of its own, without communication;
//   move      the bodies move.
#include "../../common/barnes_check.hpp"
#include "../../common/inputs.hpp"
#include "remote_trees.hpp"

namespace {

using namespace apps;
using namespace apps::barnes;

class barnes_program {
 public:
  barnes_program(world& w, const options& from, std::size_t size)
      : w_(w),
        from_(from),
        size_(size),
        block_(size / w.ranks()),
        cells_(w.spread<cell>(most_cells(block_) * w.ranks())),
        places_(w.spread<point_mass>(size)),
        others_(w, cells_, places_),
        mine_(make_bodies(from.seed, block_ * w.rank(), block_, size), cells_.mine(),
              places_.mine()) {
    std::ranges::fill(cells_.mine(), cell{});  // its pages exist, as those of a vector do
    std::ranges::fill(places_.mine(), point_mass{});
  }

  void run(phases& times, own_counts& counts) {
    for (unsigned i = 0; i < steps; ++i) {
      times.begin("tree");
      mine_.build_tree(cube(all_around()));
      const std::vector<cell> roots = w_.all_gather(mine_.own_tree().cells.front());
      times.begin("fetch");
      others_.fetch(mine_, roots, counts);
      w_.barrier();  // others may still read here
      counts.barriers += 3;
      times.begin("forces");
      const std::vector<vec> accelerations = mine_.accelerations(others_.with(mine_.own_tree()));
      times.begin("move");
      mine_.move(accelerations);
    }
  }

  bool check() { return are_right(mine_.bodies(), from_.seed, w_.rank(), w_.ranks(), size_); }

 private:
  // Collective: the box around all ranks' bodies.
  box all_around() {
    return w_.all_reduce(box_of(mine_.bodies()), [](box a, const box& b) {
      a.include(b);
      return a;
    });
  }

  world& w_;
  const options from_;
  const std::size_t size_;
  const std::size_t block_;
  spread_array<cell> cells_;
  spread_array<point_mass> places_;
  remote_trees others_;
  part mine_;
};

}  // namespace

int main(int argc, char** argv) {
  return splitc_main<barnes_program>(
      {inputs::barnes,
       "Moves bodies that attract each other, by Barnes and Hut's method.",
       {"gets", "serial"}},
      argc, argv);
}
