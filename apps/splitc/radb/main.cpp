// Radix sort in bulk: as radix, but the keys for a rank travel together. In each pass
//
//   count     each rank counts its keys by digit, and the counts of all are gathered at all;
//   pack      it sorts its keys by digit, so that those for one rank follow each other;
//   send      and stores them there, at the end of what lower ranks send;
//   place     the receiver puts them in their places: rank by rank, the keys of a digit follow each
//             other.
#include "../../common/inputs.hpp"
#include "../../common/radix_digits.hpp"
#include "../../common/sorted_keys.hpp"

namespace {

using namespace apps;
using radix::buckets;

class bulk_radix_sort {
 public:
  bulk_radix_sort(world& w, const options& from, std::size_t size)
      : w_(w),
        from_(from),
        block_(size / w.ranks()),
        keys_(make_keys(from.seed, block_ * w.rank(), block_)),
        packed_(block_),
        received_(w.spread<sort_key>(block_ * w.ranks())),
        all_counts_(buckets * w.ranks()) {
    std::ranges::fill(received_.mine(), 0U);  // its pages exist, as those of a vector do
    input_.add(keys_);
  }

  void run(phases& times, own_counts& counts) {
    if (from_.variant == "serial") return run_serially(times);
    for (unsigned pass = 0; pass < radix::passes; ++pass) {
      times.begin("count");
      radix::count_digits<std::uint32_t>(keys_, pass, counts_);
      w_.team().all_gather(counts_, all_counts_);
      times.begin("pack");
      radix::place_by_digit<std::uint32_t>(keys_, pass, counts_, packed_);
      times.begin("send");
      send();
      w_.all_store_sync();
      counts.barriers += 2;
      times.begin("place");
      radix::count_digits<std::uint32_t>(received_.mine(), pass, counts_);
      radix::place_by_digit<std::uint32_t>(received_.mine(), pass, counts_, keys_);
    }
  }

  bool check() { return are_sorted(w_, keys_, input_); }

 private:
  using histogram = std::array<std::uint32_t, buckets>;

  void run_serially(phases& times) {
    times.begin("sort");
    radix::sort_serially(keys_);
  }

  [[nodiscard]] std::uint32_t count(rank_id rank, std::size_t digit) const {
    return all_counts_[rank * buckets + digit];
  }

  // Digit by digit and rank by rank, the keys have their places one behind the other. Each rank has
  // a block of them, so the keys of one rank go to one block after the other.
  void send() {
    std::vector<std::size_t> before(w_.ranks());  // by block: keys of lower ranks in it
    std::vector<std::size_t> ours(w_.ranks());
    std::size_t place = 0;
    for (std::size_t d = 0; d < buckets; ++d)
      for (rank_id r = 0; r < w_.ranks(); ++r)
        for (std::size_t left = count(r, d); left != 0;) {
          const std::size_t block = place / block_;
          const std::size_t here = std::min(left, (block + 1) * block_ - place);
          if (r < w_.rank()) before[block] += here;
          if (r == w_.rank()) ours[block] += here;
          place += here;
          left -= here;
        }
    const sort_key* next = packed_.data();
    for (rank_id r = 0; r < w_.ranks(); ++r) {
      w_.bulk_store(received_.part(r) + static_cast<std::ptrdiff_t>(before[r]), next, ours[r]);
      next += ours[r];
    }
  }

  world& w_;
  const options from_;
  const std::size_t block_;  // keys of a rank
  std::vector<sort_key> keys_;
  std::vector<sort_key> packed_;
  spread_array<sort_key> received_;
  histogram counts_{};
  std::vector<std::uint32_t> all_counts_;
  key_hash input_;
};

}  // namespace

int main(int argc, char** argv) {
  return splitc_main<bulk_radix_sort>(
      {inputs::radb,
       "Sorts 32-bit keys by radix sort, the keys for a rank in one message.",
       {"bulk", "serial"}},
      argc, argv);
}
