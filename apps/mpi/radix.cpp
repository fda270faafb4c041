// Radix sort over MPI, with the same digits as apps/splitc/radix.
//
//   aggregated  as one would write it: keys are sorted by digit here, and those for each rank go in
//               one message (MPI_Alltoallv); the receiver puts them in their places
//   literal     a message for each key, as in Split-C
#include "../common/radix_digits.hpp"
#include "mpi_program.hpp"
#include "single_messages.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace {

using namespace apps;
using radix::buckets;

using histogram = std::array<std::uint64_t, buckets>;

class radix_sort {
 public:
  radix_sort(const options& from, std::size_t size) : from_(from) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    block_ = size / static_cast<std::size_t>(ranks_);
    keys_.resize(block_);
    sorted_.resize(block_);
    for (std::size_t i = 0; i < block_; ++i)
      keys_[i] = key_at(from.seed, block_ * static_cast<std::size_t>(rank_) + i);
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

  bool check() {
    sort_key last = keys_.empty() ? 0 : keys_.back();
    sort_key before = 0;
    const int next = rank_ + 1 < ranks_ ? rank_ + 1 : MPI_PROC_NULL;
    const int previous = rank_ > 0 ? rank_ - 1 : MPI_PROC_NULL;
    MPI_Sendrecv(&last, 1, MPI_UINT32_T, next, 1, &before, 1, MPI_UINT32_T, previous, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    key_hash output;
    output.add(keys_);
    std::uint64_t all[] = {input_.sum - output.sum, input_.mixed - output.mixed,
                           is_sorted_from(keys_, before) ? 0U : 1U};
    MPI_Allreduce(MPI_IN_PLACE, all, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all[0] == 0 && all[1] == 0 && all[2] == 0;
  }

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
      const int to = static_cast<int>(at / block_);
      const placed_key one{static_cast<std::uint32_t>(at % block_), key};
      if (to == rank_)
        place(one);
      else
        messages.send(to, one, place);
    }
    messages.finish(place);
    MPI_Barrier(MPI_COMM_WORLD);  // before messages of the next pass
  }

  // How many of `count` places from `at` on are in that rank's block.
  [[nodiscard]] std::uint64_t overlap(std::uint64_t at, std::uint64_t count, int rank) const {
    const std::uint64_t from = block_ * static_cast<std::uint64_t>(rank);
    const std::uint64_t begin = std::max(at, from);
    const std::uint64_t end = std::min(at + count, from + block_);
    return end > begin ? end - begin : 0;
  }

  void permute_together(unsigned pass) {
    const auto ranks = static_cast<std::size_t>(ranks_);
    std::vector<int> out(ranks), out_from(ranks), in(ranks), in_from(ranks);
    for (int r = 0; r < ranks_; ++r)
      for (std::size_t d = 0; d < buckets; ++d)
        out[static_cast<std::size_t>(r)] += static_cast<int>(overlap(places_[d], counts_[d], r));
    std::exclusive_scan(out.begin(), out.end(), out_from.begin(), 0);
    MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::exclusive_scan(in.begin(), in.end(), in_from.begin(), 0);

    std::vector<sort_key> by_digit(block_), received(block_);
    histogram next;
    std::exclusive_scan(counts_.begin(), counts_.end(), next.begin(), std::uint64_t{0});
    for (const sort_key key : keys_) by_digit[next[radix::digit_of(key, pass)]++] = key;
    MPI_Alltoallv(by_digit.data(), out.data(), out_from.data(), MPI_UINT32_T, received.data(),
                  in.data(), in_from.data(), MPI_UINT32_T, MPI_COMM_WORLD);

    // Rank by rank, the keys of a digit stand behind one another: a stable sort by digit places
    // them.
    radix::count_digits<std::uint64_t>(received, pass, next);
    std::exclusive_scan(next.begin(), next.end(), next.begin(), std::uint64_t{0});
    for (const sort_key key : received) sorted_[next[radix::digit_of(key, pass)]++] = key;
  }

  const options from_;
  int rank_ = 0;
  int ranks_ = 0;
  std::size_t block_ = 0;
  std::vector<sort_key> keys_;
  std::vector<sort_key> sorted_;
  histogram counts_{};
  histogram places_{};
  key_hash input_;
};

}  // namespace

int main(int argc, char** argv) {
  const description about{"radix",
                          "Sorts 32-bit keys by radix sort, over MPI.",
                          1 << 17,
                          1 << 23,
                          1 << 24,
                          "keys",
                          {"aggregated", "literal"}};
  return mpi_main<radix_sort>(about, argc, argv);
}
