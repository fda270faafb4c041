// Ray tracing over MPI, of the scene of apps/splitc/pray. As one would write it: the scene is small
// enough for each rank to have all of it, so the ranks exchange their lists first
// (MPI_Allgatherv). Tiles are dealt in turn.
#include "../common/inputs.hpp"
#include "../common/pray_image.hpp"
#include "../common/pray_trace.hpp"
#include "mpi_program.hpp"

#include <numeric>

namespace {

using namespace apps;
using namespace apps::pray;

class pray_program {
 public:
  pray_program(const options& from, std::size_t size)
      : from_(from),
        side_(side_of(size)),
        rank_(own_rank()),
        ranks_(count_ranks()),
        scene_(from.seed, side_),
        grid_(scene_),
        cells_(scene_, grid_, ranks_),
        mine_(cells_.make_lists(static_cast<std::uint32_t>(rank_))) {}

  void run(phases& times) {
    times.begin("replicate");
    replicate();
    times.begin("render");
    in_grid spheres(grid_, [&](cell_number cell) {
      const dealt_cells::list& of = cells_.of(cell);
      return std::span(lists_).subspan(static_cast<std::size_t>(first_[of.rank]) + of.first,
                                       of.size);
    });
    tracer trace(spheres);
    const tiling tiles(side_);
    for (std::size_t tile = rank_; tile < tiles.tiles(); tile += ranks_)
      for (const pixel at : tiles.pixels_of(tile))
        pixels_.push_back(paint(at, trace.colour_of(ray_through(side_, at.row, at.column))));
  }

  bool check() { return are_right(pixels_, from_.seed, side_, sum_over_ranks); }

 private:
  // The lists of all ranks, in order of ranks.
  void replicate() {
    const std::vector<int> counts(cells_.listed().begin(), cells_.listed().end());
    first_.resize(ranks_);
    std::exclusive_scan(counts.begin(), counts.end(), first_.begin(), 0);
    lists_.resize(static_cast<std::size_t>(first_.back() + counts.back()));
    const datatype_of<sphere> type;
    MPI_Allgatherv(mine_.data(), counts[rank_], type.get(), lists_.data(), counts.data(),
                   first_.data(), type.get(), MPI_COMM_WORLD);
  }

  const options from_;
  const std::size_t side_;
  const std::size_t rank_;
  const std::size_t ranks_;
  const scene scene_;
  const grid grid_;
  const dealt_cells cells_;
  const std::vector<sphere> mine_;
  std::vector<sphere> lists_;
  std::vector<int> first_;  // of each rank's, in lists_
  std::vector<painted_pixel> pixels_;
};

}  // namespace

int main(int argc, char** argv) {
  return mpi_main<pray_program>({inputs::pray, "Traces rays, over MPI.", {"aggregated"}}, argc,
                                argv);
}
