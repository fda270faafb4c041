// This rank's part of em3d's graph: the nodes, their edges in each of the forms that the rungs of
// the ladder need, and copies of the remote nodes that they depend on ("ghosts").
#pragma once

#include "../../common/em3d_graph.hpp"
#include "../../common/splitc_program.hpp"

#include <vector>

namespace apps::em3d {

// A node of this rank that another rank has a ghost of.
struct push {
  std::uint32_t index;
  global_ptr<double> to;
};

// The ghosts of one rank that are nodes of this one: they follow each other there.
struct push_block {
  std::vector<std::uint32_t> indices;
  global_ptr<double> to;
};

// The nodes of a kind.
struct nodes {
  std::vector<double> values;

  // The edges of these nodes, by global pointers, and with ghosts.
  struct global_source {
    global_ptr<double> from;
    double weight;
  };
  std::vector<global_source> global_sources;
  std::vector<weighted_source> sources;

  // Copies of nodes of this kind at other ranks, and where they are.
  std::vector<double> ghosts;
  std::vector<global_ptr<double>> ghosts_of;
  // And of these nodes at other ranks.
  std::vector<push> pushes;
  std::vector<push_block> push_blocks;
};

// Collective.
std::array<nodes, 2> make_nodes(world& w, const graph& of);

}  // namespace apps::em3d
