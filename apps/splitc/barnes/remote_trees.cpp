#include "remote_trees.hpp"

namespace apps::barnes {

// From the roots down, all that is missing at one distance from them at once.
void remote_trees::fetch(const part& mine, const std::vector<cell>& roots, own_counts& counts) {
  for (rank_id r = 0; r < w_.ranks(); ++r) {
    copies_[r].cells.assign(1, roots[r]);
    copies_[r].bodies.clear();
    copies_[r].examined = 0;
  }
  bool is_complete = false;
  while (!is_complete) {
    is_complete = true;
    for (rank_id i = 1; i < w_.ranks(); ++i)  // not all at one rank
      if (get_next((w_.rank() + i) % w_.ranks(), mine, counts)) is_complete = false;
    w_.sync();
  }
}

// Starts to get the parts of the cells that came last. False: none of them needs its parts.
bool remote_trees::get_next(rank_id of, const part& mine, own_counts& counts) {
  copy& here = copies_[of];
  struct opened_cell {
    std::size_t at;
    std::uint64_t first_there;
  };
  std::vector<opened_cell> opened;
  const std::size_t end = here.cells.size();
  std::size_t cells = end;
  std::size_t bodies = here.bodies.size();
  for (; here.examined < end; ++here.examined) {
    cell& one = here.cells[here.examined];
    if (!mine.opens(one)) {
      one.children = one.bodies = 0;
      continue;
    }
    opened.push_back({here.examined, one.first});
    one.first = one.children != 0 ? cells : bodies;
    cells += one.children;
    bodies += one.bodies;
  }
  here.cells.resize(cells);
  here.bodies.resize(bodies);
  for (const auto& [at, first_there] : opened) {
    const cell& one = here.cells[at];
    const auto there = static_cast<std::ptrdiff_t>(first_there);
    if (one.children != 0)
      w_.bulk_get(&here.cells[one.first], cells_.part(of) + there, one.children);
    else
      w_.bulk_get(&here.bodies[one.first], bodies_.part(of) + there, one.bodies);
  }
  counts.reads += opened.size();
  return !opened.empty();
}

std::vector<tree> remote_trees::with(const tree& own) const {
  std::vector<tree> out;
  for (const copy& each : copies_) out.push_back({each.cells, each.bodies});
  out[w_.rank()] = own;
  return out;
}

}  // namespace apps::barnes
