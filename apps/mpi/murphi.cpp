// Exploring a cache coherence protocol over MPI, as apps/splitc/murphi: level by level, what one
// rank has found for another in one message.
#include "../common/inputs.hpp"
#include "../common/murphi_explorer.hpp"
#include "mpi_program.hpp"

#include <numeric>

namespace {

using namespace apps;
using namespace apps::murphi;

class murphi_program {
 public:
  murphi_program(const options& from, std::size_t size)
      : from_(from),
        values_(values_within(size)),
        explorer_(values_, from.seed, count_ranks(), own_rank()) {}

  void run(phases& times) {
    while (sum_over_ranks(explorer_.begin_level()) != 0) {
      times.begin("expand");
      explorer_.expand();
      times.begin("send");
      const std::span<const state> received = exchange();
      times.begin("add");
      explorer_.add(received);
    }
  }

  bool check() { return are_right(explorer_.found(), values_, from_.seed, sum_over_ranks); }

 private:
  // What other ranks have found for this one.
  std::span<const state> exchange() {
    static_assert(sizeof(state) == 2 * sizeof(std::uint64_t));
    std::vector<int> out, in(explorer_.out().size());  // in words
    for (const auto& each : explorer_.out()) out.push_back(static_cast<int>(2 * each.size()));
    MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
    const auto here = static_cast<std::size_t>(std::accumulate(in.begin(), in.end(), 0) / 2);
    if (received_.size() < here) received_.resize(here);
    std::vector<MPI_Request> requests;
    state* next = received_.data();
    for (std::size_t r = 0; r < in.size(); ++r) {
      if (in[r] == 0) continue;
      MPI_Irecv(next, in[r], MPI_UINT64_T, static_cast<int>(r), 0, MPI_COMM_WORLD,
                &requests.emplace_back());
      next += in[r] / 2;
    }
    for (std::size_t r = 0; r < out.size(); ++r)
      if (out[r] != 0)
        MPI_Isend(explorer_.out()[r].data(), out[r], MPI_UINT64_T, static_cast<int>(r), 0,
                  MPI_COMM_WORLD, &requests.emplace_back());
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    return std::span(received_).first(here);
  }

  const options from_;
  const unsigned values_;
  explorer explorer_;
  std::vector<state> received_;
};

}  // namespace

int main(int argc, char** argv) {
  return mpi_main<murphi_program>({inputs::murphi,
                                   "Explores the states of a cache coherence protocol, over MPI.",
                                   {"aggregated"}},
                                  argc, argv);
}
