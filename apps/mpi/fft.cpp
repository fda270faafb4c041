// Fast Fourier transform over MPI, as apps/splitc/fft: the remap is MPI_Alltoall.
#include "../common/fft_stages.hpp"
#include "mpi_program.hpp"

#include <algorithm>

namespace {

using namespace apps;
using namespace apps::fft;

class fft_program {
 public:
  fft_program(const options& from, std::size_t size)
      : from_(from), dealt_(size, count_ranks()), how_(dealt_.points) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    rank_ = static_cast<std::size_t>(rank);
    MPI_Comm_split(MPI_COMM_WORLD, takes_part() ? 0 : 1, rank, &members_);
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

  bool check() {
    std::vector<point> all;
    for (std::size_t i = 0; i < dealt_.points; ++i) all.push_back(point_at(from_.seed, i));
    const std::vector<point> input = all;
    how_.serially(all);
    const bool agrees = how_.agrees(input, all);
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(rank_ * mine_.size());
    int same = agrees && (!takes_part() || std::equal(mine_.begin(), mine_.end(), first)) ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return same == 1;
  }

 private:
  static std::size_t count_ranks() {
    int n = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    return static_cast<std::size_t>(n);
  }
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
  std::size_t rank_ = 0;
  MPI_Comm members_ = MPI_COMM_NULL;
  std::vector<point> mine_;
  std::vector<point> received_;
};

}  // namespace

int main(int argc, char** argv) {
  const description about{
      "fft",         "Computes a fast Fourier transform with one remap, over MPI.",
      1 << 17,       1 << 22,
      1 << 24,       "points",
      {"aggregated"}};
  return mpi_main<fft_program>(about, argc, argv);
}
