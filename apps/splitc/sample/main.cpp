// Sample sort, one message a key.
//
//   split      each rank contributes a sample of its keys; from the samples of all, ranks - 1 keys
//              are chosen that split all keys into parts of about the same size;
//   count      each rank counts its keys for each part, and learns where its keys go there;
//   send       it stores each key at the rank of its part;
//   sort       each rank sorts its part.
#include "../../common/inputs.hpp"
#include "../../common/radix_digits.hpp"
#include "../../common/sample_splitters.hpp"
#include "../../common/sorted_keys.hpp"

namespace {

using namespace apps;

class sample_sort {
 public:
  sample_sort(world& w, const options& from, std::size_t size) : w_(w), from_(from) {
    const std::size_t block = size / w.ranks();
    keys_ = make_keys(from.seed, block * w.rank(), block);
    input_.add(keys_);
  }

  void run(phases& times, own_counts& counts) {
    if (from_.variant == "serial") return run_serially(times);
    times.begin("split");
    const splitters parts(
        w_.ranks(),
        [&](const std::vector<sort_key>& mine, std::vector<sort_key>& all) {
          w_.team().all_gather(mine, all);
        },
        keys_);
    times.begin("count");
    std::vector<std::uint32_t> to(w_.ranks());
    for (const sort_key key : keys_) ++to[parts.part_of(key)];
    const std::vector<global_ptr<sort_key>> places = places_for(to);
    times.begin("send");
    send(parts, places);
    w_.all_store_sync();
    counts.barriers += 4;
    times.begin("sort");
    radix::sort_serially(sorted_);
  }

  bool check() {
    return are_sorted(w_, sorted_, input_) && splitters::is_balanced(keys_.size(), sorted_.size());
  }

 private:
  void run_serially(phases& times) {
    sorted_ = keys_;
    times.begin("sort");
    radix::sort_serially(sorted_);
  }

  // For each rank: where this rank's keys go there. Makes room here for those of all.
  std::vector<global_ptr<sort_key>> places_for(const std::vector<std::uint32_t>& to) {
    const rank_id ranks = w_.ranks();
    std::vector<std::uint32_t> all(std::size_t{ranks} * ranks);  // by source, then by target
    w_.team().all_gather(to, all);
    std::size_t here = 0;
    for (rank_id r = 0; r < ranks; ++r) here += all[r * ranks + w_.rank()];
    sorted_.resize(here);
    std::vector<global_ptr<sort_key>> places = w_.all_gather(w_.global(sorted_.data()));
    for (rank_id target = 0; target < ranks; ++target)
      for (rank_id r = 0; r < w_.rank(); ++r) places[target] += all[r * ranks + target];
    return places;
  }

  void send(const splitters& parts, std::vector<global_ptr<sort_key>> places) {
    for (const sort_key key : keys_) w_.store(places[parts.part_of(key)]++, key);
  }

  world& w_;
  const options from_;
  std::vector<sort_key> keys_;
  std::vector<sort_key> sorted_;
  key_hash input_;
};

}  // namespace

int main(int argc, char** argv) {
  return splitc_main<sample_sort>({inputs::sample,
                                   "Sorts 32-bit keys by sample sort, one message a key.",
                                   {"stores", "serial"}},
                                  argc, argv);
}
