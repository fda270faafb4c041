// connect on meshes with so many edges that components span all ranks, and with few nodes, so that
// an edge skips a rank.
#include "../../apps/splitc/connect/components.hpp"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) try {
  am::splitc::world w(argc, argv);
  bool right = true;
  for (const std::size_t nodes_of_a_rank : {2U, 4U, 30U, 1000U})
    for (const double part_of_edges : {0.0, 0.4, 0.5, 0.6, 1.0})
      for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const std::size_t nodes = nodes_of_a_rank * w.ranks();
        apps::connect::components found(w, {seed, nodes, part_of_edges});
        apps::own_counts counts;
        found.join_here();
        found.join_all(counts);
        found.label(counts);
        if (found.are_right()) continue;
        right = false;
        std::printf("rank %u: wrong labels of %zu nodes, %.1f of the edges, seed %llu\n", w.rank(),
                    nodes, part_of_edges, static_cast<unsigned long long>(seed));
      }
  return right ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
