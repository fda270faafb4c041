// The components of a mesh whose nodes are dealt in blocks. The parent of a node may be at any
// rank.
#pragma once

#include "../../common/connect_forest.hpp"
#include "../../common/splitc_program.hpp"

#include <span>
#include <vector>

namespace apps::connect {

class components {
 public:
  // Collective. The nodes are a multiple of the number of ranks.
  components(world& w, const mesh& of);

  // The phases. @{
  void join_here();
  void join_all(own_counts& counts);  // collective
  void label(own_counts& counts);     // collective
  // @}
  [[nodiscard]] bool are_right() const {
    return connect::are_right(mesh_, first_, parents_.mine());
  }

 private:
  [[nodiscard]] global_ptr<node> parent_of(node one) const {
    return parents_.part(one / block_) + static_cast<std::ptrdiff_t>(one % block_);
  }
  void get_parent(node& here, node of, own_counts& counts);
  void climb(std::vector<node*> climbers, own_counts& counts);
  void contract();
  void hook();

  world& w_;
  const mesh mesh_;
  const node block_;  // nodes of a rank
  const node first_;
  const std::vector<node_edges> edges_;
  spread_array<node> parents_;  // in the end the labels
  forest here_;
  std::vector<edge> border_;  // what is left of the edges from here to higher ranks
  std::vector<node> roots_;   // of the components here that an edge leaves
};

}  // namespace apps::connect
