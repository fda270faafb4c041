// em3d: electromagnetic waves on a graph of electric and magnetic nodes. In each step every
// electric node is computed from the magnetic nodes it depends on, then every magnetic node from
// electric ones. 40 % of the edges lead to another rank.
//
// The variants are the rungs of the ladder of "Parallel Programming in Split-C" (SC'93): the same
// program, with one more thing done about its communication in each (rungs.cpp). ISCA'97 ran two of
// them: "read" is unroll here, "write" is store.
#include "../../common/inputs.hpp"
#include "nodes.hpp"
#include "rungs.hpp"

#include <optional>

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
    for (unsigned i = 0; i < steps_of(from_); ++i) {
      times.begin("electric");
      how(w_, parts_[electric], parts_[magnetic], counts);
      times.begin("magnetic");
      how(w_, parts_[magnetic], parts_[electric], counts);
      counts.barriers += 2;
    }
  }

  bool check() { return are_right(graph_, steps_of(from_), w_.rank(), parts_); }

 private:
  void run_serially(phases& times) {
    times.begin("steps");
    for (unsigned i = 0; i < steps_of(from_); ++i) serial_->step();
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
  return splitc_main<em3d_program>(
      {inputs::em3d,
       "Computes electromagnetic waves on a graph over all ranks.",
       {"store", "simple", "bundle", "unroll", "get", "put", "bulk", "serial"}},
      argc, argv);
}
