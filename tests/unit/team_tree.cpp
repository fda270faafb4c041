// The tree of broadcasts and reductions, for every size and root of a small team.
#include <am/detail/team_tree.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace {

using am::detail::team_tree;

unsigned depth_of(am_rank ranks, am_rank root, am_rank rank) {
  unsigned depth = 0;
  for (; rank != root; ++depth) rank = team_tree(ranks, root, rank).parent();
  return depth;
}

// The ranks whose values a rank has combined when all its children have contributed.
struct run {
  am_rank first;
  am_rank last;
};
run combined_at(am_rank ranks, am_rank root, am_rank rank) {
  const team_tree tree(ranks, root, rank);
  run mine{rank, rank};
  for (auto i = tree.children().size(); i-- > 0;) {
    const auto [child, behind] = tree.children()[i];
    const run its = combined_at(ranks, root, child);
    if (behind) {
      REQUIRE(its.first == mine.last + 1);
      mine.last = its.last;
    } else {
      REQUIRE(its.last + 1 == mine.first);
      mine.first = its.first;
    }
  }
  return mine;
}

TEST_CASE("a team is halved ceil(log2 n) times") {
  CHECK(am::detail::team_rounds(1) == 0);
  CHECK(am::detail::team_rounds(2) == 1);
  CHECK(am::detail::team_rounds(3) == 2);
  CHECK(am::detail::team_rounds(8) == 3);
  CHECK(am::detail::team_rounds(9) == 4);
  CHECK(am::detail::team_rounds(13) == 4);
}

TEST_CASE("children know their parents, and no path is longer than ceil(log2 n)") {
  for (am_rank ranks = 1; ranks <= 40; ++ranks) {
    for (am_rank root = 0; root < ranks; ++root) {
      unsigned edges = 0;
      for (am_rank rank = 0; rank < ranks; ++rank) {
        REQUIRE(depth_of(ranks, root, rank) <= am::detail::team_rounds(ranks));
        const team_tree tree(ranks, root, rank);
        for (const auto& child : tree.children()) {
          REQUIRE(team_tree(ranks, root, child.rank).parent() == rank);
          ++edges;
        }
      }
      REQUIRE(edges == ranks - 1);
    }
  }
}

TEST_CASE("a reduction combines adjacent ranks, and at the root all of them in order") {
  for (am_rank ranks = 1; ranks <= 40; ++ranks) {
    for (am_rank root = 0; root < ranks; ++root) {
      const run all = combined_at(ranks, root, root);
      REQUIRE(all.first == 0);
      REQUIRE(all.last == ranks - 1);
    }
  }
}

}  // namespace
