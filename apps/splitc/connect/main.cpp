// Connected components of a mesh, 30 % of whose edges exist (Lumetta, Krishnamurthy, Culler,
// SC'95). Each rank has a block of the nodes. A component is a tree, whose root is its lowest node.
//
//   local      each rank joins what edges connect within its block;
//   global     of each edge to another rank, the roots at its ends are read: split-phase, all under
//              way at once. A store hooks the higher root to the lower one; then the ends climb to
//              their new roots, by more reads. An edge whose ends have the same root is done with,
//              and when all are, so is the phase;
//   label      components at a border read their roots; then every node gets its own.
#include "../../common/inputs.hpp"
#include "components.hpp"

namespace {

using namespace apps;

class connect_program {
 public:
  connect_program(world& w, const options& from, std::size_t size)
      : from_(from), found_(w, connect::mesh(from.seed, size)) {}

  void run(phases& times, own_counts& counts) {
    times.begin("local");
    found_.join_here();
    if (from_.variant != "serial") {
      times.begin("global");
      found_.join_all(counts);
    }
    times.begin("label");
    found_.label(counts);
  }

  bool check() { return found_.are_right(); }

 private:
  const options from_;
  connect::components found_;
};

}  // namespace

int main(int argc, char** argv) {
  return splitc_main<connect_program>(
      {inputs::connect, "Finds the connected components of a random mesh.", {"reads", "serial"}},
      argc, argv);
}
