// LU factorization of a dense matrix, without exchanges of rows, blocked and scattered (LogP, 1993;
// SPLASH-2): the blocks are dealt to a grid of ranks in both directions. In step k
//
//   panel     the owner of block (k, k) factors it; the other owners of column k and row k get it
//             and solve for their blocks of L and of U;
//   update    every rank subtracts the products of the panel before from its other blocks. When it
//             has all it needs of panel k, it starts to get that meanwhile;
//   get       and waits for it: each block of the panel goes to a rank once.
//
// There are no barriers: a rank that has finished a part of a panel stores a word at each rank that
// will get it. So those that have the next panel go ahead.
#include "../../common/inputs.hpp"
#include "../../common/splitc_program.hpp"
#include "panel.hpp"

#include <span>

namespace {

using namespace apps;
using namespace apps::lu;

class lu_program {
 public:
  lu_program(world& w, const options& from, std::size_t n)
      : w_(w),
        from_(from),
        grid_(n, w.ranks(), w.rank()),
        blocks_(w.spread<block>(grid_.room() * w.ranks())),
        finished_(w, grid_),
        panels_{panel(w, grid_, blocks_, finished_), panel(w, grid_, blocks_, finished_)} {
    fill(blocks_.mine(), grid_, from.seed);
  }

  void run(phases& times, own_counts& counts) {
    if (from_.variant == "serial") {
      times.begin("factor");
      return factor_serially(blocks_.mine(), grid_);
    }
    for (std::size_t k = 0; k < grid_.blocks(); ++k) {
      panel& next = panels_[k % 2];
      const panel& before = panels_[(k + 1) % 2];
      next.begin(k);
      times.begin("panel");
      finish_panel(k, before, counts);
      times.begin("update");
      if (k > 0)
        grid_.for_blocks(k + 1, [&](std::size_t i, std::size_t j) {
          update_by(before, i, j);
          next.try_to_get(counts);
        });
      times.begin("get");
      next.get(counts);
    }
    w_.all_store_sync();  // also a barrier: others may still get this rank's blocks
    ++counts.barriers;
  }

  bool check() {
    return is_right(blocks_.mine(), grid_, from_.seed, [&](std::vector<double>& values) {
      w_.team().all_reduce(values, std::plus<>());
    });
  }

 private:
  block& at(std::size_t i, std::size_t j) { return blocks_.mine()[grid_.place(i, j)]; }

  void update_by(const panel& before, std::size_t i, std::size_t j) {
    update(at(i, j), before.left(i), before.upper(j));
    w_.poll();  // others may wait for their gets
  }

  // Of column k and row k. The diagonal block is the first that others wait for.
  void finish_panel(std::size_t k, const panel& before, own_counts& counts) {
    const auto update_one = [&](std::size_t i, std::size_t j) {
      if (k > 0) update_by(before, i, j);
    };
    const bool has_row = grid_.has_row(k);
    const bool has_column = grid_.has_column(k);
    if (has_row && has_column) {
      update_one(k, k);
      factor(at(k, k));
      finished_.announce(part::diagonal, k);
    }
    if (has_column) grid_.for_rows(k + 1, [&](std::size_t i) { update_one(i, k); });
    if (has_row) grid_.for_columns(k + 1, [&](std::size_t j) { update_one(k, j); });
    if (has_column && grid_.first_row(k + 1) < grid_.blocks()) {
      const block& diagonal = get_diagonal(k, counts);
      grid_.for_rows(k + 1, [&](std::size_t i) {
        solve_left(at(i, k), diagonal);
        w_.poll();
      });
      finished_.announce(part::left, k);
    }
    if (has_row && grid_.first_column(k + 1) < grid_.blocks()) {
      const block& diagonal = get_diagonal(k, counts);
      grid_.for_columns(k + 1, [&](std::size_t j) {
        solve_upper(at(k, j), diagonal);
        w_.poll();
      });
      finished_.announce(part::upper, k);
    }
  }

  // A rank that has only one part of the panel gets it from its owner.
  const block& get_diagonal(std::size_t k, own_counts& counts) {
    if (grid_.has_row(k) && grid_.has_column(k)) return at(k, k);
    finished_.wait_for(part::diagonal, k);
    const auto owner = static_cast<rank_id>(grid_.owner(k, k));
    w_.bulk_read(diagonal_.data(),
                 blocks_.part(owner) + static_cast<std::ptrdiff_t>(grid_.place(k, k)), 1);
    ++counts.reads;
    return diagonal_.front();
  }

  world& w_;
  const options from_;
  const grid grid_;
  spread_array<block> blocks_;
  finished_parts finished_;
  std::array<panel, 2> panels_;  // of the step before, and of this one
  std::vector<block> diagonal_ = std::vector<block>(1);
};

}  // namespace

int main(int argc, char** argv) {
  return splitc_main<lu_program>(
      {inputs::lu, "Factors a dense matrix into L and U.", {"blocked", "serial"}}, argc, argv);
}
