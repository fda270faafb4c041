// What a rank needs of the others in a step of lu: a panel, which is a column of blocks of L and a
// row of blocks of U; and words by which it knows that they are finished.
#pragma once

#include "../../common/lu_matrix.hpp"
#include "../../common/splitc_program.hpp"

#include <vector>

namespace apps::lu {

// Of the panel of a step, at one rank.
enum class part : unsigned { diagonal, left, upper };

class finished_parts {
 public:
  // Collective.
  finished_parts(world& w, const grid& of)
      : w_(w), grid_(of), words_(w.spread<word>(3 * of.blocks() * w.ranks())) {}

  // This rank has finished its part: the ranks that get it learn it.
  void announce(part which, std::size_t step);
  // Has the rank that this one gets the part from finished it?
  [[nodiscard]] bool has(part which, std::size_t step) const {
    return words_.mine()[place(which, step)] != 0;
  }
  void wait_for(part which, std::size_t step) {
    w_.endpoint().wait([&] { return has(which, step); });
  }

 private:
  [[nodiscard]] std::size_t place(part which, std::size_t step) const {
    return static_cast<std::size_t>(which) * grid_.blocks() + step;
  }
  void announce_to(std::size_t row, std::size_t column, part which, std::size_t step);

  world& w_;
  const grid& grid_;
  spread_array<word> words_;
};

// The blocks of a panel that this rank multiplies, in its own memory or copied here.
class panel {
 public:
  panel(world& w, const grid& of, spread_array<block>& blocks, finished_parts& finished)
      : w_(w),
        grid_(of),
        blocks_(blocks),
        finished_(finished),
        left_copy_(of.room_in_column()),
        upper_copy_(of.room_in_row()) {}

  // The panel is now that of this step.
  void begin(std::size_t step);
  // Starts to get it if others have finished it.
  void try_to_get(own_counts& counts);
  // Returns when it is here.
  void get(own_counts& counts);

  // Behind the step.
  [[nodiscard]] const block& left(std::size_t row) const {
    return left_[(row - first_row_) / grid_.rows()];
  }
  [[nodiscard]] const block& upper(std::size_t column) const {
    return upper_[(column - first_column_) / grid_.columns() * upper_stride_];
  }

 private:
  void get_left(own_counts& counts);
  void get_upper(own_counts& counts);

  world& w_;
  const grid& grid_;
  spread_array<block>& blocks_;
  finished_parts& finished_;
  std::size_t step_ = 0;
  std::size_t first_row_ = 0;
  std::size_t first_column_ = 0;
  bool waits_for_left_ = false;  // has not started to get it
  bool waits_for_upper_ = false;
  const block* left_ = nullptr;
  const block* upper_ = nullptr;
  std::size_t upper_stride_ = 1;
  std::vector<block> left_copy_;
  std::vector<block> upper_copy_;
};

}  // namespace apps::lu
