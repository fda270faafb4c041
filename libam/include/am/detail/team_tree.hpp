// The tree by which a team broadcasts and reduces. The team's ranks are halved repeatedly: at each
// halving the leader of the whole, at first the root, keeps its half, and the first rank of the
// other half becomes its child and the leader there. So
//   - there are n - 1 edges, and at most ceil(log2 n) of them lead from a rank to the root; where n
//     is a power of two it is the binomial tree;
//   - for every root, a rank and its children's parts, added from the smallest half to the largest,
//     are always a range of adjacent ranks. A reduction keeps the order of the ranks.
#pragma once

#include <am/types.h>

#include <array>
#include <bit>
#include <span>

namespace am::detail {

/// ceil(log2 ranks): how often a team is halved.
constexpr am_rank team_rounds(am_rank ranks) noexcept {
  return static_cast<am_rank>(std::bit_width(ranks - 1));
}

struct team_child {
  am_rank rank;
  bool behind;  // its part comes after its parent's part; otherwise before it
};

class team_tree {
 public:
  team_tree(am_rank ranks, am_rank root, am_rank me) noexcept {
    am_rank first = 0;
    am_rank last = ranks;
    am_rank leader = root;
    while (last - first > 1) {
      const am_rank middle = first + (last - first + 1) / 2;
      const bool behind = leader < middle;
      const am_rank other = behind ? middle : first;
      if (me == leader) children_[count_++] = {other, behind};
      if (me == other) parent_ = leader;
      const bool in_other_half = (me >= middle) == behind;
      if (in_other_half) leader = other;
      (me < middle ? last : first) = middle;
    }
  }

  /// For every rank but the root.
  [[nodiscard]] am_rank parent() const noexcept { return parent_; }
  /// From the largest half to the smallest.
  [[nodiscard]] std::span<const team_child> children() const noexcept {
    return {children_.data(), count_};
  }

 private:
  am_rank parent_ = 0;
  am_rank count_ = 0;
  std::array<team_child, 32> children_;
};

}  // namespace am::detail
