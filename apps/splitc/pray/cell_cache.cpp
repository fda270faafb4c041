#include "cell_cache.hpp"

namespace apps::pray {

cell_cache::cell_cache(world& w, const dealt_cells& cells, const spread_array<sphere>& lists,
                       std::size_t number_of_cells)
    : w_(w),
      rank_(w.rank()),
      cells_(cells),
      lists_(lists),
      own_(lists.mine()),
      place_of_(number_of_cells, absent) {
  std::size_t largest = 0;
  for (cell_number cell = 0; cell < number_of_cells; ++cell)
    largest = std::max<std::size_t>(largest, cells.of(cell).size);
  copies_.resize(std::max(least_room, largest));
}

std::span<const sphere> cell_cache::fetch(cell_number cell, const dealt_cells::list& from) {
  has_missed_ = has_missed_ || !is_reading_;
  if (used_ + from.size > copies_.size()) {
    is_full_ = true;
    if (!is_reading_) return {};
    clear();
  }
  const auto there = lists_.part(from.rank) + from.first;
  sphere* const here = &copies_[used_];
  place_of_[cell] = used_;
  used_ += from.size;
  ++reads_;
  if (!is_reading_) {
    w_.bulk_get(here, there, from.size);
    return {};
  }
  w_.bulk_read(here, there, from.size);
  complete_ = used_;
  return {here, from.size};
}

bool cell_cache::complete() {
  w_.sync();
  complete_ = used_;
  return !is_full_;
}

void cell_cache::clear() {
  std::ranges::fill(place_of_, absent);
  used_ = complete_ = 0;
  is_full_ = false;
}

}  // namespace apps::pray
