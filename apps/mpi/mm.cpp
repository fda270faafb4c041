// Matrix multiplication over MPI, as apps/splitc/mm: each rank has rows of a, b and c. The rows of
// b go around the ring of ranks, to the next one while those that are here are multiplied with.
#include "../common/inputs.hpp"
#include "../common/matrices.hpp"
#include "mpi_program.hpp"

#include <array>

namespace {

using namespace apps;
using namespace apps::mm;

class mm_program {
 public:
  mm_program(const options& from, std::size_t n)
      : from_(from),
        n_(n),
        ranks_(count_ranks()),
        rank_(own_rank()),
        a_(make_block(from.seed, left, n, first(rank_), 0, count(rank_), n)),
        sum_(count(rank_), n),
        here_(make_block(from.seed, right, n, first(rank_), 0, count(rank_), n).values) {
    here_.resize((n / ranks_ + 1) * n);
    next_.resize(here_.size());
  }

  void run(phases& times) {
    times.begin("multiply");
    const int to = static_cast<int>((rank_ + ranks_ - 1) % ranks_);
    const int from = static_cast<int>((rank_ + 1) % ranks_);
    for (std::size_t step = 0; step < ranks_; ++step) {
      const std::size_t of = (rank_ + step) % ranks_;
      std::array<MPI_Request, 2> requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
      if (step + 1 < ranks_) {
        MPI_Irecv(next_.data(), static_cast<int>(count((of + 1) % ranks_) * n_), MPI_DOUBLE, from,
                  0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(here_.data(), static_cast<int>(count(of) * n_), MPI_DOUBLE, to, 0, MPI_COMM_WORLD,
                  &requests[1]);
      }
      add_product(sum_, a_, first(of), here_.data(), count(of));
      MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
      here_.swap(next_);
    }
  }
  bool check() { return is_product(sum_, from_.seed, n_, first(rank_), 0); }

 private:
  [[nodiscard]] std::size_t first(std::size_t rank) const { return n_ * rank / ranks_; }
  [[nodiscard]] std::size_t count(std::size_t rank) const { return first(rank + 1) - first(rank); }

  const options from_;
  const std::size_t n_;
  const std::size_t ranks_;
  const std::size_t rank_;
  const block a_;
  block sum_;
  std::vector<double> here_;
  std::vector<double> next_;
};

}  // namespace

int main(int argc, char** argv) {
  return mpi_main<mm_program>({inputs::mm, "Multiplies two matrices, over MPI.", {"aggregated"}},
                              argc, argv);
}
