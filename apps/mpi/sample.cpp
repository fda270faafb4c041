// Sample sort over MPI, as apps/splitc/sample.
//
//   aggregated  as one would write it: the keys for each rank in one message (MPI_Alltoallv)
//   literal     a message for each key, as in Split-C
#include "../common/radix_digits.hpp"
#include "../common/sample_splitters.hpp"
#include "mpi_program.hpp"
#include "single_messages.hpp"

#include <numeric>

namespace {

using namespace apps;

class sample_sort {
 public:
  sample_sort(const options& from, std::size_t size) : from_(from) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    const std::size_t block = size / static_cast<std::size_t>(ranks_);
    for (std::size_t i = 0; i < block; ++i)
      keys_.push_back(key_at(from.seed, block * static_cast<std::size_t>(rank_) + i));
    input_.add(keys_);
  }

  void run(phases& times) {
    times.begin("split");
    const splitters parts(static_cast<std::size_t>(ranks_), gather, keys_);
    times.begin("count");
    std::vector<int> out(static_cast<std::size_t>(ranks_)), in(out.size());
    for (const sort_key key : keys_) ++out[parts.part_of(key)];
    MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
    times.begin("send");
    sorted_.resize(static_cast<std::size_t>(std::accumulate(in.begin(), in.end(), 0)));
    if (from_.variant == "literal")
      send_one_by_one(parts, sorted_.size() - static_cast<std::size_t>(in[own()]));
    else
      send_together(parts, out, in);
    times.begin("sort");
    radix::sort_serially(sorted_);
  }

  bool check() {
    std::vector<sort_key> lasts(static_cast<std::size_t>(ranks_));
    const sort_key last = sorted_.empty() ? 0 : sorted_.back();
    MPI_Allgather(&last, 1, MPI_UINT32_T, lasts.data(), 1, MPI_UINT32_T, MPI_COMM_WORLD);
    sort_key least = 0;
    for (std::size_t r = 0; r < own(); ++r) least = std::max(least, lasts[r]);
    key_hash output;
    output.add(sorted_);
    std::uint64_t all[] = {input_.sum - output.sum, input_.mixed - output.mixed,
                           is_sorted_from(sorted_, least) ? 0U : 1U};
    MPI_Allreduce(MPI_IN_PLACE, all, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all[0] == 0 && all[1] == 0 && all[2] == 0;
  }

 private:
  [[nodiscard]] std::size_t own() const { return static_cast<std::size_t>(rank_); }

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
      if (to == own())
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
  int rank_ = 0;
  int ranks_ = 0;
  std::vector<sort_key> keys_;
  std::vector<sort_key> sorted_;
  key_hash input_;
};

}  // namespace

int main(int argc, char** argv) {
  const description about{"sample",
                          "Sorts 32-bit keys by sample sort, over MPI.",
                          1 << 17,
                          1 << 23,
                          1 << 25,
                          "keys",
                          {"aggregated", "literal"}};
  return mpi_main<sample_sort>(about, argc, argv);
}
