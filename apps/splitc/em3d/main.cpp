// em3d: electromagnetic waves on a graph of electric and magnetic nodes. In each step every
// electric node is computed from the magnetic nodes it depends on, then every magnetic node from
// electric ones. 40 % of the edges lead to another rank.
//
// The variants are the rungs of the ladder of "Parallel Programming in Split-C" (SC'93): the same
// program, with one more thing done about its communication in each (rungs.cpp). ISCA'97 ran two of
// them: "read" is unroll here, "write" is store.
#include "nodes.hpp"
#include "rungs.hpp"

#include <algorithm>
#include <optional>
#include <span>

namespace {

using namespace apps;
using namespace apps::em3d;

class em3d_program {
 public:
  em3d_program(world& w, const options& from, std::size_t size)
      : w_(w), from_(from), graph_(from.seed, w.ranks(), size / 2), parts_(make_nodes(w, graph_)) {
    if (from_.variant == "serial") serial_.emplace(graph_);
  }

  void run(phases& times, own_counts& counts) {
    if (serial_) return run_serially(times);
    const rung how = find_rung(from_.variant);
    for (unsigned i = 0; i < steps(); ++i) {
      times.begin("electric");
      how(w_, parts_[electric], parts_[magnetic], counts);
      times.begin("magnetic");
      how(w_, parts_[magnetic], parts_[electric], counts);
      counts.barriers += 2;
    }
  }

  // The sums are in the same order, so the values are the same to the last bit.
  bool check() {
    serial_reference all(graph_);
    for (unsigned i = 0; i < steps(); ++i) all.step();
    bool same = true;
    for (const kind each : {electric, magnetic})
      same = same &&
             std::ranges::equal(
                 parts_[each].values,
                 std::span(all.values(each)).subspan(w_.rank() * graph_.nodes(), graph_.nodes()));
    return w_.all_reduce(same ? 0U : 1U, std::plus<>()) == 0;
  }

 private:
  [[nodiscard]] unsigned steps() const { return from_.size == input_size::paper ? 100 : 20; }

  void run_serially(phases& times) {
    times.begin("steps");
    for (unsigned i = 0; i < steps(); ++i) serial_->step();
    times.end();
    for (const kind each : {electric, magnetic}) parts_[each].values = serial_->values(each);
  }

  world& w_;
  const options from_;
  const graph graph_;
  std::array<nodes, 2> parts_;
  std::optional<serial_reference> serial_;
};

}  // namespace

int main(int argc, char** argv) {
  const description about{"em3d",
                          "Computes electromagnetic waves on a graph over all ranks.",
                          4000,
                          40000,
                          80000,
                          "nodes",
                          {"store", "simple", "bundle", "unroll", "get", "put", "bulk", "serial"}};
  return splitc_main<em3d_program>(about, argc, argv);
}
