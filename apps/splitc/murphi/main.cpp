// Explores all states that a cache coherence protocol can reach, as the model checker Murphi does,
// and checks each: a cache that may write the line has the only copy, readers see what was written
// last, and something can happen next. A hash chooses the rank at which a state belongs. Level by
// level,
//
//   expand    each rank fires every rule in each of its new states, and collects what comes out by
//             the rank where it belongs;
//   send      the ranks learn how much comes from each; then each stores what belongs at another
//             rank there, all of it at once;
//   add       what a rank had not seen yet is its part of the next level.
//
// This goes on until no rank has a new state.
#include "../../common/inputs.hpp"
#include "../../common/murphi_explorer.hpp"
#include "../../common/splitc_program.hpp"

namespace {

using namespace apps;
using namespace apps::murphi;

class murphi_program {
 public:
  murphi_program(world& w, const options& from, std::size_t size)
      : w_(w),
        from_(from),
        values_(values_within(size)),
        explorer_(values_, from.seed, w.ranks(), w.rank()) {}

  void run(phases& times, own_counts& counts) {
    if (from_.variant == "serial") return run_serially(times);
    while (w_.all_reduce(explorer_.begin_level(), std::plus<>()) != 0) {
      times.begin("expand");
      explorer_.expand();
      times.begin("send");
      const std::span<const state> received = exchange();
      times.begin("add");
      explorer_.add(received);
      counts.barriers += 4;
    }
    ++counts.barriers;
  }

  bool check() {
    return are_right(explorer_.found(), values_, from_.seed,
                     [&](std::uint64_t one) { return w_.all_reduce(one, std::plus<>()); });
  }

 private:
  void run_serially(phases& times) {
    times.begin("explore");
    while (explorer_.begin_level() != 0) explorer_.expand();
  }

  // What other ranks have found for this one.
  std::span<const state> exchange() {
    const rank_id ranks = w_.ranks();
    std::vector<std::size_t> to;
    for (const auto& each : explorer_.out()) to.push_back(each.size());
    std::vector<std::size_t> all(to.size() * ranks);  // by source, then by target
    w_.team().all_gather(to, all);
    std::size_t here = 0;
    for (rank_id r = 0; r < ranks; ++r) here += all[r * ranks + w_.rank()];
    if (received_.size() < here) received_.resize(here);
    std::vector<global_ptr<state>> places = w_.all_gather(w_.global(received_.data()));
    for (rank_id i = 1; i < ranks; ++i) {
      const rank_id target = (w_.rank() + i) % ranks;  // not all at once
      for (rank_id r = 0; r < w_.rank(); ++r)
        places[target] += static_cast<std::ptrdiff_t>(all[r * ranks + target]);
      w_.bulk_store(places[target], explorer_.out()[target].data(), to[target]);
    }
    w_.all_store_sync();
    return std::span(received_).first(here);
  }

  world& w_;
  const options from_;
  const unsigned values_;
  explorer explorer_;
  std::vector<state> received_;
};

}  // namespace

int main(int argc, char** argv) {
  return splitc_main<murphi_program>(
      {inputs::murphi, "Explores the states of a cache coherence protocol.", {"bulk", "serial"}},
      argc, argv);
}
