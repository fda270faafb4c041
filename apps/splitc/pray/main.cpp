// Ray tracing of a scene that is spread over the ranks: a grid of cells, each with a list of the
// spheres that reach into it. A ray goes from cell to cell; the rays of a pixel are one from the
// camera, one to the light from what it meets, and the same once more for the mirror image.
//
// Tiles of the image are taken from a counter. A rank reads the lists of other ranks' cells into a
// cache of bounded size, one read each:
//
//   gets      a pixel that lacks lists starts to get them, and the rank goes on with the other
//             pixels of the tile; when all have come those pixels are computed again;
//   reads     a ray waits for each list that it lacks, as in ISCA'97.
#include "../../common/inputs.hpp"
#include "../../common/pray_image.hpp"
#include "../../common/pray_trace.hpp"
#include "cell_cache.hpp"

#include <optional>

namespace {

using namespace apps;
using namespace apps::pray;

class pray_program {
 public:
  pray_program(world& w, const options& from, std::size_t size)
      : w_(w),
        from_(from),
        side_(side_of(size)),
        scene_(from.seed, side_),
        grid_(scene_),
        cells_(scene_, grid_, w.ranks()),
        lists_(w.spread<sphere>(std::ranges::max(cells_.listed()) * w.ranks())),
        next_tile_(w.spread<std::uint64_t>(1)),
        cache_(w, cells_, lists_, grid_.cells()) {
    std::ranges::copy(cells_.make_lists(w.rank()), lists_.mine().begin());
    if (from_.variant == "serial") serial_.emplace(from_.seed, side_);
  }

  void run(phases& times, own_counts& counts) {
    times.begin("render");
    if (serial_) {
      pixels_ = serial_->render();
      return;
    }
    const tiling tiles(side_);
    std::uint64_t tile = w_.fetch_add(next_tile_[0], 1);
    for (; tile < tiles.tiles(); tile = w_.fetch_add(next_tile_[0], 1))
      render(tiles.pixels_of(tile));
    w_.barrier();  // others may still read here
    counts.reads += cache_.reads();
    ++counts.barriers;
  }

  bool check() {
    return are_right(pixels_, from_.seed, side_,
                     [&](std::uint64_t one) { return w_.all_reduce(one, std::plus<>()); });
  }

 private:
  void render(std::vector<pixel> left) {
    if (from_.variant == "gets") {
      cache_.get_later();
      do {
        std::erase_if(left, [&](pixel at) { return paint_if_complete(at); });
      } while (cache_.complete() && !left.empty());
      cache_.read_at_once();
    }
    for (const pixel at : left) paint_if_complete(at);
  }
  bool paint_if_complete(pixel at) {
    if (++tried_ % pixels_between_polls == 0) w_.poll();  // others may wait for lists
    const vec colour = trace_.colour_of(ray_through(side_, at.row, at.column));
    if (cache_.has_missed()) return false;
    pixels_.push_back(paint(at, colour));
    return true;
  }

  static constexpr std::size_t pixels_between_polls = 16;

  struct cached_lists {
    cell_cache& cache;
    std::span<const sphere> operator()(cell_number cell) { return cache.list_of(cell); }
  };

  world& w_;
  const options from_;
  const std::size_t side_;
  const scene scene_;
  const grid grid_;
  const dealt_cells cells_;
  spread_array<sphere> lists_;
  spread_array<std::uint64_t> next_tile_;
  cell_cache cache_;
  in_grid<cached_lists> spheres_{grid_, {cache_}};
  tracer<in_grid<cached_lists>> trace_{spheres_};
  std::optional<serial_reference> serial_;
  std::vector<painted_pixel> pixels_;
  std::size_t tried_ = 0;  // pixels
};

}  // namespace

int main(int argc, char** argv) {
  return splitc_main<pray_program>({inputs::pray,
                                    "Traces rays in a scene that is spread over the ranks.",
                                    {"gets", "reads", "serial"}},
                                   argc, argv);
}
