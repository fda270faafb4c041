// Radix sort over MPI, with the same digits as apps/splitc/radix.
//
//   aggregated  as one would write it: keys are sorted by digit here, and those for each rank go in
//               one message (MPI_Alltoallv); the receiver puts them in their places
//   literal     a message for each key, as in Split-C
#include "../common/inputs.hpp"
#include "../common/radix_digits.hpp"
#include "mpi_program.hpp"
#include "single_messages.hpp"
#include "sorted_keys.hpp"

#include <algorithm>
#include <numeric>

namespace {

using namespace apps;
using radix::buckets;

using histogram = std::array<std::uint64_t, buckets>;

class radix_sort {
 public:
  radix_sort(const options& from, std::size_t size)
      : from_(from),
        rank_(own_rank()),
        ranks_(count_ranks()),
        block_(size / ranks_),
        keys_(make_keys(from.seed, block_ * rank_, block_)),
        sorted_(block_) {
    input_.add(keys_);
  }

  void run(phases& times) {
    for (unsigned pass = 0; pass < radix::passes; ++pass) {
      times.begin("count");
      radix::count_digits<std::uint64_t>(keys_, pass, counts_);
      times.begin("scan");
      scan();
      times.begin("permute");
      if (from_.variant == "literal")
        permute_one_by_one(pass);
      else
        permute_together(pass);
      keys_.swap(sorted_);
    }
  }

  bool check() { return are_sorted(keys_, input_); }

 private:
  // Of each digit: the place of this rank's first key among all keys.
  void scan() {
    histogram earlier{};
    histogram sums{};
    MPI_Exscan(counts_.data(), earlier.data(), buckets, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (rank_ == 0) earlier.fill(0);
    MPI_Allreduce(counts_.data(), sums.data(), buckets, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    std::uint64_t before = 0;
    for (std::size_t d = 0; d < buckets; ++d) {
      places_[d] = before + earlier[d];
      before += sums[d];
    }
  }

  struct placed_key {
    std::uint32_t index;  // in the block of the receiver
    sort_key key;
  };

  void permute_one_by_one(unsigned pass) {
    const auto place = [&](const placed_key& one) { sorted_[one.index] = one.key; };
    std::size_t own = 0;
    for (std::size_t d = 0; d < buckets; ++d) own += overlap(places_[d], counts_[d], rank_);
    single_messages<placed_key> messages(block_ - own);
    for (const sort_key key : keys_) {
      const std::uint64_t at = places_[radix::digit_of(key, pass)]++;
      const std::size_t to = at / block_;
      const placed_key one{static_cast<std::uint32_t>(at % block_), key};
      if (to == rank_)
        place(one);
      else
        messages.send(static_cast<int>(to), one, place);
    }
    messages.finish(place);
    MPI_Barrier(MPI_COMM_WORLD);  // before messages of the next pass
  }

  // How many of `count` places from `at` on are in that rank's block.
  [[nodiscard]] std::uint64_t overlap(std::uint64_t at, std::uint64_t count,
                                      std::size_t rank) const {
    const std::uint64_t from = block_ * rank;
    const std::uint64_t begin = std::max(at, from);
    const std::uint64_t end = std::min(at + count, from + block_);
    return end > begin ? end - begin : 0;
  }

  void permute_together(unsigned pass) {
    std::vector<int> out(ranks_), out_from(ranks_), in(ranks_), in_from(ranks_);
    for (std::size_t r = 0; r < ranks_; ++r)
      for (std::size_t d = 0; d < buckets; ++d)
        out[r] += static_cast<int>(overlap(places_[d], counts_[d], r));
    std::exclusive_scan(out.begin(), out.end(), out_from.begin(), 0);
    MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::exclusive_scan(in.begin(), in.end(), in_from.begin(), 0);

    std::vector<sort_key> by_digit(block_), received(block_);
    radix::place_by_digit<std::uint64_t>(keys_, pass, counts_, by_digit);
    MPI_Alltoallv(by_digit.data(), out.data(), out_from.data(), MPI_UINT32_T, received.data(),
                  in.data(), in_from.data(), MPI_UINT32_T, MPI_COMM_WORLD);

    // Rank by rank, the keys of a digit stand behind one another: a stable sort by digit places
    // them.
    histogram counts;
    radix::count_digits<std::uint64_t>(received, pass, counts);
    radix::place_by_digit<std::uint64_t>(received, pass, counts, sorted_);
  }

  const options from_;
  const std::size_t rank_;
  const std::size_t ranks_;
  const std::size_t block_;
  std::vector<sort_key> keys_;
  std::vector<sort_key> sorted_;
  histogram counts_{};
  histogram places_{};
  key_hash input_;
};

}  // namespace

int main(int argc, char** argv) {
  return mpi_main<radix_sort>(
      {inputs::radix, "Sorts 32-bit keys by radix sort, over MPI.", {"aggregated", "literal"}},
      argc, argv);
}
