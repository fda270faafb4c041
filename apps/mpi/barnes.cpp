// Barnes and Hut's method over MPI, with the trees of apps/splitc/barnes. As one would write it:
// each rank sends each other the part of its tree that walks for bodies in the box of that rank can
// open (a "locally essential tree"), all of it at once, and then walks without communication.
#include "../common/barnes_check.hpp"
#include "../common/inputs.hpp"
#include "mpi_program.hpp"

#include <numeric>

namespace {

using namespace apps;
using namespace apps::barnes;

// What goes to each rank, or comes from it, one after the other.
template <class Item>
struct blocks {
  std::vector<Item> items;
  std::vector<int> counts;  // by rank

  // Collective: what the ranks have for this one.
  [[nodiscard]] blocks exchange() const {
    blocks in{{}, std::vector<int>(counts.size())};
    MPI_Alltoall(counts.data(), 1, MPI_INT, in.counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
    in.items.resize(
        static_cast<std::size_t>(std::accumulate(in.counts.begin(), in.counts.end(), 0)));
    const std::vector<int> from = firsts(), to = in.firsts();
    const datatype_of<Item> type;
    MPI_Alltoallv(items.data(), counts.data(), from.data(), type.get(), in.items.data(),
                  in.counts.data(), to.data(), type.get(), MPI_COMM_WORLD);
    return in;
  }
  [[nodiscard]] std::span<const Item> of(std::size_t rank) const {
    return std::span(items).subspan(static_cast<std::size_t>(firsts()[rank]),
                                    static_cast<std::size_t>(counts[rank]));
  }

 private:
  [[nodiscard]] std::vector<int> firsts() const {
    std::vector<int> out(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), out.begin(), 0);
    return out;
  }
};

class barnes_program {
 public:
  barnes_program(const options& from, std::size_t size)
      : from_(from),
        size_(size),
        ranks_(count_ranks()),
        rank_(own_rank()),
        cells_(most_cells(size / ranks_)),
        places_(size / ranks_),
        mine_(make_bodies(from.seed, size / ranks_ * rank_, size / ranks_, size), cells_, places_) {
  }

  void run(phases& times) {
    for (unsigned i = 0; i < steps; ++i) {
      times.begin("tree");
      const std::vector<box> boxes = all_boxes();
      box around = boxes.front();
      for (const box& each : boxes) around.include(each);
      mine_.build_tree(cube(around));
      times.begin("exchange");
      exchange(boxes);
      times.begin("forces");
      const std::vector<vec> accelerations = mine_.accelerations(trees_);
      times.begin("move");
      mine_.move(accelerations);
    }
  }

  bool check() { return are_right(mine_.bodies(), from_.seed, rank_, ranks_, size_); }

 private:
  // Around the bodies of each rank.
  [[nodiscard]] std::vector<box> all_boxes() const {
    const box own = box_of(mine_.bodies());
    std::vector<box> all(ranks_);
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    return all;
  }

  void exchange(const std::vector<box>& boxes) {
    blocks<cell> cells;
    blocks<point_mass> bodies;
    for (std::size_t r = 0; r < ranks_; ++r) {
      const std::size_t cells_before = cells.items.size();
      const std::size_t bodies_before = bodies.items.size();
      if (r != rank_) add_essential_tree(boxes[r], cells.items, bodies.items);
      cells.counts.push_back(static_cast<int>(cells.items.size() - cells_before));
      bodies.counts.push_back(static_cast<int>(bodies.items.size() - bodies_before));
    }
    far_cells_ = cells.exchange();
    far_bodies_ = bodies.exchange();
    trees_.clear();
    for (std::size_t r = 0; r < ranks_; ++r)
      trees_.push_back(r == rank_ ? mine_.own_tree() : tree{far_cells_.of(r), far_bodies_.of(r)});
  }

  // What walks for bodies in that box can open. Its cells that are not opened lack their parts.
  void add_essential_tree(const box& where, std::vector<cell>& cells,
                          std::vector<point_mass>& bodies) const {
    const tree own = mine_.own_tree();
    const std::size_t root = cells.size();
    const std::size_t first_body = bodies.size();
    cells.push_back(own.cells.front());
    for (std::size_t i = root; i < cells.size(); ++i) {
      const cell from = cells[i];
      if (!from.is_opened_from(where)) {
        cells[i].children = cells[i].bodies = 0;
        continue;
      }
      cells[i].first = from.children != 0 ? cells.size() - root : bodies.size() - first_body;
      for (std::uint32_t k = 0; k < from.children; ++k) cells.push_back(own.cells[from.first + k]);
      for (std::uint32_t k = 0; k < from.bodies; ++k) bodies.push_back(own.bodies[from.first + k]);
    }
  }

  const options from_;
  const std::size_t size_;
  const std::size_t ranks_;
  const std::size_t rank_;
  std::vector<cell> cells_;
  std::vector<point_mass> places_;
  part mine_;
  blocks<cell> far_cells_;
  blocks<point_mass> far_bodies_;
  std::vector<tree> trees_;  // by rank
};

}  // namespace

int main(int argc, char** argv) {
  return mpi_main<barnes_program>(
      {inputs::barnes, "Moves bodies that attract each other, over MPI.", {"aggregated"}}, argc,
      argv);
}
