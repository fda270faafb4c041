// Radix sort, one message a key: the program of ISCA'97 that sends most. The keys lie in blocks,
// one at each rank. Each of three passes sorts by 11 bits, the lowest first:
//
//   count     each rank counts its keys by digit;
//   scan      the counts run through the ranks, first to last, one store for each digit, so that
//             each rank knows how many keys of a digit come before its own; the last rank then
//             broadcasts the sums;
//   permute   each key is stored at its place, wherever that is.
//
// The scan takes a message for each digit and rank after the other: it grows with the ranks, which
// is why radix sort suffers more from overhead than its messages alone account for.
#include "../../common/inputs.hpp"
#include "../../common/radix_digits.hpp"
#include "../../common/sorted_keys.hpp"

namespace {

using namespace apps;
using radix::buckets;

class radix_sort {
 public:
  radix_sort(world& w, const options& from, std::size_t size)
      : w_(w),
        from_(from),
        block_(size / w.ranks()),
        keys_(w.spread<sort_key>(block_ * w.ranks())),
        sorted_(w.spread<sort_key>(block_ * w.ranks())),
        earlier_(w.spread<word>(buckets * w.ranks())) {
    std::ranges::fill(sorted_.mine(), 0U);  // its pages exist, as those of a vector do
    std::ranges::copy(make_keys(from.seed, block_ * w.rank(), block_), keys_.mine().begin());
    input_.add(keys_.mine());
    if (from.variant == "serial") serial_.assign(keys_.mine().begin(), keys_.mine().end());
  }

  void run(phases& times, own_counts& counts) {
    if (from_.variant == "serial") return run_serially(times);
    for (unsigned pass = 0; pass < radix::passes; ++pass) {
      times.begin("count");
      radix::count_digits<word>(keys_.mine(), pass, counts_);
      times.begin("scan");
      scan();
      times.begin("permute");
      permute(pass);
      ++counts.barriers;
      std::swap(keys_, sorted_);
    }
  }

  bool check() {
    return are_sorted(w_, serial_.empty() ? keys_.mine() : std::span(serial_), input_);
  }

 private:
  void run_serially(phases& times) {
    times.begin("sort");
    radix::sort_serially(serial_);
  }

  // Afterwards places_ has, for each digit, the place of this rank's first key with it.
  void scan() {
    const bool is_first = w_.rank() == 0;
    const bool is_last = w_.rank() + 1 == w_.ranks();
    word* const earlier = earlier_.mine().data();
    std::vector<word> sums(buckets);
    const auto next = is_last ? global_ptr<word>() : earlier_.part(w_.rank() + 1);
    for (std::size_t d = 0; d < buckets; ++d) {
      if (is_first)
        earlier[d] = 0;
      else
        w_.store_sync(sizeof(word));  // the stores of one rank come in their order
      const word with_ours = earlier[d] + counts_[d];
      if (is_last)
        sums[d] = with_ours;
      else
        w_.store(next + static_cast<std::ptrdiff_t>(d), with_ours);
    }
    w_.team().broadcast(w_.ranks() - 1, sums);
    word before = 0;
    for (std::size_t d = 0; d < buckets; ++d) {
      places_[d] = place_of(before + earlier[d]);
      before += sums[d];
    }
  }

  // A rank, and an index there.
  struct place {
    std::uint32_t rank;
    std::uint32_t index;
  };
  [[nodiscard]] place place_of(std::size_t i) const {
    return {static_cast<std::uint32_t>(i / block_), static_cast<std::uint32_t>(i % block_)};
  }

  void permute(unsigned pass) {
    std::vector<global_ptr<sort_key>> blocks;
    for (rank_id r = 0; r < w_.ranks(); ++r) blocks.push_back(sorted_.part(r));
    blocks.emplace_back();  // behind the last key
    for (const sort_key key : keys_.mine()) {
      place& next = places_[radix::digit_of(key, pass)];
      w_.store(blocks[next.rank] + next.index, key);
      if (++next.index == block_) next = {next.rank + 1, 0};
    }
    w_.all_store_sync();
  }

  world& w_;
  const options from_;
  const std::size_t block_;  // keys of a rank
  spread_array<sort_key> keys_;
  spread_array<sort_key> sorted_;
  spread_array<word> earlier_;  // of each digit: how many the ranks before this one have
  std::array<word, buckets> counts_{};
  std::array<place, buckets> places_{};
  std::vector<sort_key> serial_;
  key_hash input_;
};

}  // namespace

int main(int argc, char** argv) {
  return splitc_main<radix_sort>(
      {inputs::radix, "Sorts 32-bit keys by radix sort, one message a key.", {"stores", "serial"}},
      argc, argv);
}
