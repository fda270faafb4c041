// The mesh of connect and its components within one rank.
#include "../../apps/common/connect_forest.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace apps::connect;

TEST_CASE("an edge exists with the probability that was asked for") {
  const mesh few(1, 10000, 0.3);
  const auto edges = few.edges_of(0, few.nodes());
  for (const node_edges direction : {to_the_right, down}) {
    const auto count =
        std::ranges::count_if(edges, [&](node_edges one) { return (one & direction) != 0; });
    CHECK(count > 2800);
    CHECK(count < 3200);
  }
}

TEST_CASE("edges end at the borders of the mesh, and its last row may be shorter") {
  const mesh all(1, 7, 1.0);  // rows of three
  const std::vector<node_edges> expected = {
      to_the_right | down, to_the_right | down, down, to_the_right | down, to_the_right, 0, 0};
  CHECK(all.columns() == 3);
  CHECK(all.edges_of(0, 7) == expected);
}

TEST_CASE("edges across a border lead from nodes in front of it to nodes behind it") {
  const mesh all(1, 9, 1.0);
  CHECK(all.edges_across(4) == std::vector<edge>{{1, 4}, {2, 5}, {3, 4}, {3, 6}});
  CHECK(all.edges_across(3) == std::vector<edge>{{0, 3}, {1, 4}, {2, 5}});
  CHECK(all.edges_across(0).empty());
  CHECK(all.edges_across(9).empty());
}

TEST_CASE("joining finds the components that a search finds") {
  for (const std::size_t nodes : {1, 2, 7, 100, 5000})
    for (const double part_of_edges : {0.0, 0.3, 0.5, 0.7, 1.0}) {
      const mesh one(77, nodes, part_of_edges);
      std::vector<node> labels(nodes);
      forest all(labels, 0);
      all.join(one.edges_of(0, one.nodes()), one.columns());
      all.flatten(nodes);
      CHECK(are_right(one, 0, labels));
    }
}

TEST_CASE("without edges each node is alone, with all of them none is") {
  CHECK(labels_by_search(mesh(1, 6, 0.0)) == std::vector<node>{0, 1, 2, 3, 4, 5});
  CHECK(labels_by_search(mesh(1, 6, 1.0)) == std::vector<node>(6, 0));
}
