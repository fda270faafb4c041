#include "panel.hpp"

namespace apps::lu {

// ---- finished_parts -----------------------------------------------------------------------------

void finished_parts::announce(part which, std::size_t step) {
  if (which != part::upper)
    for (std::size_t c = 0; c < grid_.columns(); ++c)
      if (c != grid_.column()) announce_to(grid_.row(), c, which, step);
  if (which != part::left)
    for (std::size_t r = 0; r < grid_.rows(); ++r)
      if (r != grid_.row()) announce_to(r, grid_.column(), which, step);
}

void finished_parts::announce_to(std::size_t row, std::size_t column, part which,
                                 std::size_t step) {
  const auto rank = static_cast<rank_id>(grid_.rank_at(row, column));
  w_.store(words_.part(rank) + static_cast<std::ptrdiff_t>(place(which, step)), word{1});
}

// ---- panel --------------------------------------------------------------------------------------

void panel::begin(std::size_t step) {
  step_ = step;
  first_row_ = grid_.first_row(step + 1);
  first_column_ = grid_.first_column(step + 1);
  const bool has_blocks = first_row_ < grid_.blocks() && first_column_ < grid_.blocks();
  waits_for_left_ = has_blocks && !grid_.has_column(step);
  waits_for_upper_ = has_blocks && !grid_.has_row(step);
  if (!has_blocks) return;
  if (waits_for_left_)
    left_ = left_copy_.data();
  else
    left_ = blocks_.mine().data() + grid_.place(first_row_, step);
  if (waits_for_upper_)
    upper_ = upper_copy_.data();
  else
    upper_ = blocks_.mine().data() + grid_.place(step, first_column_);
  upper_stride_ = waits_for_upper_ ? 1 : grid_.room_in_column();
}

void panel::try_to_get(own_counts& counts) {
  if (waits_for_left_ && finished_.has(part::left, step_)) get_left(counts);
  if (waits_for_upper_ && finished_.has(part::upper, step_)) get_upper(counts);
}

void panel::get(own_counts& counts) {
  if (waits_for_left_) {
    finished_.wait_for(part::left, step_);
    get_left(counts);
  }
  if (waits_for_upper_) {
    finished_.wait_for(part::upper, step_);
    get_upper(counts);
  }
  w_.sync();
}

void panel::get_left(own_counts& counts) {
  const auto owner = static_cast<rank_id>(grid_.owner(first_row_, step_));
  const std::size_t count = (grid_.blocks() - first_row_ + grid_.rows() - 1) / grid_.rows();
  w_.bulk_get(left_copy_.data(),
              blocks_.part(owner) + static_cast<std::ptrdiff_t>(grid_.place(first_row_, step_)),
              count);
  ++counts.reads;
  waits_for_left_ = false;
}

void panel::get_upper(own_counts& counts) {
  const auto owner = static_cast<rank_id>(grid_.owner(step_, first_column_));
  block* to = upper_copy_.data();
  grid_.for_columns(step_ + 1, [&](std::size_t j) {
    w_.bulk_get(to++, blocks_.part(owner) + static_cast<std::ptrdiff_t>(grid_.place(step_, j)), 1);
    ++counts.reads;
  });
  waits_for_upper_ = false;
}

}  // namespace apps::lu
