// Fast Fourier transform with one remap (LogP, 1993). Points are dealt out cyclically at first:
// then all stages that combine distant points are local. One remap to blocks makes the others
// local, too.
//
//   cyclic    the first stages, without communication;
//   remap     a bulk store to each rank: what one rank has of the block of another is contiguous;
//             the receiver puts the points of all ranks in turn;
//   blocked   the last stages, without communication.
//
// Where the number of ranks is no power of two, the last ones have nothing to do.
#include "../../common/fft_stages.hpp"
#include "../../common/inputs.hpp"
#include "../../common/splitc_program.hpp"

#include <span>

namespace {

using namespace apps;
using namespace apps::fft;

class fft_program {
 public:
  fft_program(world& w, const options& from, std::size_t size)
      : w_(w),
        from_(from),
        dealt_(size, w.ranks()),
        how_(dealt_.points),
        received_(w.spread<point_words>(dealt_.block * w.ranks())) {
    std::ranges::fill(received_.mine(), point_words{});  // its pages exist, as those of a vector do
    if (takes_part())
      for (std::size_t i = 0; i < dealt_.block; ++i)
        mine_.push_back(point_at(from.seed, i * dealt_.ranks + w.rank()));
  }

  void run(phases& times, own_counts& counts) {
    if (from_.variant == "serial") {
      times.begin("stages");
      return how_.serially(mine_);
    }
    times.begin("cyclic");
    std::size_t distance = dealt_.points / 2;
    for (; distance >= dealt_.ranks; distance /= 2)
      if (takes_part()) how_.stage(mine_, distance, w_.rank(), dealt_.ranks);
    times.begin("remap");
    remap();
    ++counts.barriers;
    times.begin("blocked");
    for (; distance > 0; distance /= 2)
      if (takes_part()) how_.stage(mine_, distance);
  }

  bool check() { return are_right(how_, dealt_, from_.seed, w_.rank(), mine_); }

 private:
  struct point_words {
    double real;
    double imaginary;
  };

  [[nodiscard]] bool takes_part() const { return w_.rank() < dealt_.ranks; }

  void remap() {
    const std::size_t packet = dealt_.packet;
    if (takes_part())
      for (rank_id i = 0; i < dealt_.ranks; ++i) {
        const auto to = static_cast<rank_id>((w_.rank() + i) % dealt_.ranks);  // not all at once
        w_.bulk_store(received_.part(to) + static_cast<std::ptrdiff_t>(w_.rank() * packet),
                      reinterpret_cast<const point_words*>(&mine_[to * packet]), packet);
      }
    w_.all_store_sync();
    const auto received = received_.mine();
    if (takes_part())
      for (std::size_t from = 0; from < dealt_.ranks; ++from)
        for (std::size_t i = 0; i < packet; ++i) {
          const point_words& p = received[from * packet + i];
          mine_[i * dealt_.ranks + from] = {p.real, p.imaginary};
        }
  }

  world& w_;
  const options from_;
  const layout dealt_;
  const transform how_;
  std::vector<point> mine_;
  spread_array<point_words> received_;
};

}  // namespace

int main(int argc, char** argv) {
  return splitc_main<fft_program>(
      {inputs::fft, "Computes a fast Fourier transform with one remap.", {"bulk", "serial"}}, argc,
      argv);
}
