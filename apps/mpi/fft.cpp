// Fast Fourier transform over MPI, as apps/splitc/fft: the remap is MPI_Alltoall.
#include "../common/fft_stages.hpp"
#include "../common/inputs.hpp"
#include "mpi_program.hpp"

namespace {

using namespace apps;
using namespace apps::fft;

class fft_program {
 public:
  fft_program(const options& from, std::size_t size)
      : from_(from), dealt_(size, count_ranks()), how_(dealt_.points), rank_(own_rank()) {
    MPI_Comm_split(MPI_COMM_WORLD, takes_part() ? 0 : 1, static_cast<int>(rank_), &members_);
    if (takes_part())
      for (std::size_t i = 0; i < dealt_.block; ++i)
        mine_.push_back(point_at(from.seed, i * dealt_.ranks + rank_));
    received_.resize(mine_.size());
  }
  ~fft_program() { MPI_Comm_free(&members_); }
  fft_program(const fft_program&) = delete;
  fft_program& operator=(const fft_program&) = delete;

  void run(phases& times) {
    times.begin("cyclic");
    std::size_t distance = dealt_.points / 2;
    for (; distance >= dealt_.ranks; distance /= 2)
      if (takes_part()) how_.stage(mine_, distance, rank_, dealt_.ranks);
    times.begin("remap");
    if (takes_part()) remap();
    times.begin("blocked");
    for (; distance > 0; distance /= 2)
      if (takes_part()) how_.stage(mine_, distance);
  }

  bool check() { return are_right(how_, dealt_, from_.seed, rank_, mine_); }

 private:
  [[nodiscard]] bool takes_part() const { return rank_ < dealt_.ranks; }

  void remap() {
    const int doubles = static_cast<int>(2 * dealt_.packet);
    MPI_Alltoall(mine_.data(), doubles, MPI_DOUBLE, received_.data(), doubles, MPI_DOUBLE,
                 members_);
    for (std::size_t from = 0; from < dealt_.ranks; ++from)
      for (std::size_t i = 0; i < dealt_.packet; ++i)
        mine_[i * dealt_.ranks + from] = received_[from * dealt_.packet + i];
  }

  const options from_;
  const layout dealt_;
  const transform how_;
  const std::size_t rank_;
  MPI_Comm members_ = MPI_COMM_NULL;
  std::vector<point> mine_;
  std::vector<point> received_;
};

}  // namespace

int main(int argc, char** argv) {
  return mpi_main<fft_program>(
      {inputs::fft, "Computes a fast Fourier transform with one remap, over MPI.", {"aggregated"}},
      argc, argv);
}
