// The bodies of barnes: how they move and what attracts them, without another program's trees.
#include "../../apps/common/barnes_check.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace apps::barnes;
using apps::vec;

namespace {

// A rank's part with room for its tree.
struct bodies_alone {
  std::vector<cell> cells;
  std::vector<point_mass> places;
  part all;

  explicit bodies_alone(std::vector<body> bodies)
      : cells(most_cells(bodies.size())),
        places(bodies.size()),
        all(std::move(bodies), cells, places) {}

  std::vector<vec> accelerations() {
    all.build_tree(cube(box_of(all.bodies())));
    const tree own = all.own_tree();
    return all.accelerations({&own, 1});
  }
};

}  // namespace

TEST_CASE("a body gets faster by its acceleration, and moves with its new velocity") {
  bodies_alone one(std::vector<body>{{{{1, 2, 3}, 1}, {4, 5, 6}}});
  const vec acceleration = {100, -100, 0};
  one.all.move({&acceleration, 1});
  const body& after = one.all.bodies().front();
  CHECK(after.velocity == vec{4 + 100 * time_step, 5 - 100 * time_step, 6});
  CHECK(after.here.at == vec{1, 2, 3} + time_step * after.velocity);
}

TEST_CASE("two bodies attract each other by the mass of the other") {
  bodies_alone two(std::vector<body>{{{{0, 0, 0}, 3}, {}}, {{{2, 0, 0}, 5}, {}}});
  const std::vector<vec> found = two.accelerations();
  const double distance2 = 4 + softening2;
  const double pull = 2 / (distance2 * std::sqrt(distance2));
  CHECK(found[0].x == doctest::Approx(5 * pull));
  CHECK(found[1].x == doctest::Approx(-3 * pull));
  CHECK(found[0].y == 0);
}

TEST_CASE("the bits of three numbers that are spread out gather again") {
  for (const std::uint64_t x : {0U, 1U, 0x155555U, 0x1fffffU}) {
    CHECK(gather_bits(spread_bits(x)) == x);
    CHECK(gather_bits(spread_bits(x) | spread_bits(0x1fffff) << 1) == x);
  }
}
