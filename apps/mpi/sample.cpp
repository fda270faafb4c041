// Sample sort over MPI, as apps/splitc/sample.
//
//   aggregated  as one would write it: the keys for each rank in one message (MPI_Alltoallv)
//   literal     a message for each key, as in Split-C
#include "../common/inputs.hpp"
#include "../common/radix_digits.hpp"
#include "../common/sample_splitters.hpp"
#include "mpi_program.hpp"
#include "single_messages.hpp"
#include "sorted_keys.hpp"

#include <numeric>

namespace {

using namespace apps;

class sample_sort {
 public:
  sample_sort(const options& from, std::size_t size)
      : from_(from),
        rank_(own_rank()),
        ranks_(count_ranks()),
        keys_(make_keys(from.seed, size / ranks_ * rank_, size / ranks_)) {
    input_.add(keys_);
  }

  void run(phases& times) {
    times.begin("split");
    const splitters parts(ranks_, gather, keys_);
    times.begin("count");
    std::vector<int> out(ranks_), in(ranks_);
    for (const sort_key key : keys_) ++out[parts.part_of(key)];
    MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
    times.begin("send");
    sorted_.resize(static_cast<std::size_t>(std::accumulate(in.begin(), in.end(), 0)));
    if (from_.variant == "literal")
      send_one_by_one(parts, sorted_.size() - static_cast<std::size_t>(in[rank_]));
    else
      send_together(parts, out, in);
    times.begin("sort");
    radix::sort_serially(sorted_);
  }

  bool check() {
    return are_sorted(sorted_, input_) && splitters::is_balanced(keys_.size(), sorted_.size());
  }

 private:
  static void gather(const std::vector<sort_key>& mine, std::vector<sort_key>& all) {
    const int n = static_cast<int>(mine.size());
    MPI_Allgather(mine.data(), n, MPI_UINT32_T, all.data(), n, MPI_UINT32_T, MPI_COMM_WORLD);
  }

  void send_one_by_one(const splitters& parts, std::size_t to_come) {
    std::size_t next = 0;
    const auto place = [&](sort_key key) { sorted_[next++] = key; };
    single_messages<sort_key> messages(to_come);
    for (const sort_key key : keys_) {
      const std::size_t to = parts.part_of(key);
      if (to == rank_)
        place(key);
      else
        messages.send(static_cast<int>(to), key, place);
    }
    messages.finish(place);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  void send_together(const splitters& parts, const std::vector<int>& out,
                     const std::vector<int>& in) {
    std::vector<int> out_from(out.size()), in_from(in.size());
    std::exclusive_scan(out.begin(), out.end(), out_from.begin(), 0);
    std::exclusive_scan(in.begin(), in.end(), in_from.begin(), 0);
    std::vector<sort_key> packed(keys_.size());
    std::vector<int> next = out_from;
    for (const sort_key key : keys_)
      packed[static_cast<std::size_t>(next[parts.part_of(key)]++)] = key;
    MPI_Alltoallv(packed.data(), out.data(), out_from.data(), MPI_UINT32_T, sorted_.data(),
                  in.data(), in_from.data(), MPI_UINT32_T, MPI_COMM_WORLD);
  }

  const options from_;
  const std::size_t rank_;
  const std::size_t ranks_;
  std::vector<sort_key> keys_;
  std::vector<sort_key> sorted_;
  key_hash input_;
};

}  // namespace

int main(int argc, char** argv) {
  return mpi_main<sample_sort>(
      {inputs::sample, "Sorts 32-bit keys by sample sort, over MPI.", {"aggregated", "literal"}},
      argc, argv);
}
