// A rank's view of all cells' lists: its own, and copies of others in a cache of bounded size. What
// is not here is either read at once, or a get of it starts and the cell looks empty until then.
#pragma once

#include "../../common/pray_grid.hpp"
#include "../../common/splitc_program.hpp"

#include <span>
#include <vector>

namespace apps::pray {

class cell_cache {
 public:
  cell_cache(world& w, const dealt_cells& cells, const spread_array<sphere>& lists,
             std::size_t number_of_cells);

  // What happens with lists that are not here. Only read_at_once() makes room by itself.
  void read_at_once() noexcept { is_reading_ = true; }
  void get_later() {
    if (is_full_) clear();
    is_reading_ = false;
  }

  // These spheres are there until the next call.
  std::span<const sphere> list_of(cell_number cell) {
    const dealt_cells::list& from = cells_.of(cell);
    if (from.size == 0) return {};
    if (from.rank == rank_) return own_.subspan(from.first, from.size);
    const std::uint32_t place = place_of_[cell];
    if (place < complete_) return {&copies_[place], from.size};
    if (place == absent) return fetch(cell, from);
    has_missed_ = true;  // it is on its way
    return {};
  }
  // Has a list been taken for empty since the last call?
  bool has_missed() noexcept { return std::exchange(has_missed_, false); }
  // Waits for the gets. False: for some there was no room.
  bool complete();

  [[nodiscard]] std::uint64_t reads() const noexcept { return reads_; }

 private:
  static constexpr std::size_t least_room = 8192;  // spheres, of 64 bytes
  static constexpr std::uint32_t absent = ~std::uint32_t{0};

  std::span<const sphere> fetch(cell_number cell, const dealt_cells::list& from);
  void clear();

  world& w_;
  const rank_id rank_;
  const dealt_cells& cells_;
  const spread_array<sphere>& lists_;
  const std::span<const sphere> own_;
  std::vector<sphere> copies_;
  std::vector<std::uint32_t> place_of_;  // by cell: of the first in copies_
  std::uint32_t used_ = 0;               // of copies_
  std::uint32_t complete_ = 0;           // what is behind this is on its way
  bool is_reading_ = true;
  bool has_missed_ = false;
  bool is_full_ = false;
  std::uint64_t reads_ = 0;
};

}  // namespace apps::pray
