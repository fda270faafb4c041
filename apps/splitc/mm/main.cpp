// Matrix multiplication in bulk: c = a b, of n rows and columns.
//
//   blocked   each rank has rows of a, b and c. It gets the rows of b from one rank after the
//   other,
//             the next while it multiplies with those that are here.
//   cannon    the ranks form a square torus, and each has a block of a, b and c. In each step it
//             multiplies, and stores its block of a at its left neighbour, that of b at the upper
//             one. Ranks beyond the largest square have nothing to do.
#include "../../common/inputs.hpp"
#include "../../common/matrices.hpp"
#include "../../common/splitc_program.hpp"

#include <optional>

namespace {

using namespace apps;
using namespace apps::mm;

// Rows of each rank.
class row_blocks {
 public:
  row_blocks(world& w, std::uint64_t seed, std::size_t n)
      : w_(w),
        n_(n),
        a_(make_block(seed, left, n, first(w.rank()), 0, count(w.rank()), n)),
        b_(make_block(seed, right, n, first(w.rank()), 0, count(w.rank()), n)),
        sum_(count(w.rank()), n),
        theirs_(w.all_gather(w.global(b_.values.data()))),
        next_(n / w.ranks() * n + n),
        other_(next_.size()) {}

  void multiply(own_counts& counts) {
    const double* here = b_.values.data();
    for (rank_id step = 0; step < w_.ranks(); ++step) {
      const rank_id of = (w_.rank() + step) % w_.ranks();
      const rank_id behind = (of + 1) % w_.ranks();
      if (step + 1 < w_.ranks()) {
        w_.bulk_get(next_.data(), theirs_[behind], count(behind) * n_);
        ++counts.reads;
      }
      add_product(sum_, a_, first(of), here, count(of));
      w_.sync();
      next_.swap(other_);
      here = other_.data();
    }
    w_.barrier();  // others may still read this rank's rows
    ++counts.barriers;
  }
  [[nodiscard]] bool is_right(std::uint64_t seed) const {
    return is_product(sum_, seed, n_, first(w_.rank()), 0);
  }

 private:
  [[nodiscard]] std::size_t first(rank_id rank) const { return n_ * rank / w_.ranks(); }
  [[nodiscard]] std::size_t count(rank_id rank) const { return first(rank + 1) - first(rank); }

  world& w_;
  const std::size_t n_;
  const block a_;
  block b_;
  block sum_;
  const std::vector<global_ptr<double>> theirs_;
  std::vector<double> next_;
  std::vector<double> other_;
};

// A block of each rank of a square.
class square_blocks {
 public:
  square_blocks(world& w, std::uint64_t seed, std::size_t n)
      : w_(w),
        side_(side_of(w.ranks())),
        n_(n - n % side_),
        edge_(n_ / side_),
        row_(w.rank() / side_),
        column_(w.rank() % side_),
        a_(edge_, edge_),
        sum_(edge_, edge_),
        all_a_(w.spread<double>(2 * edge_ * edge_ * w.ranks())),
        all_b_(w.spread<double>(2 * edge_ * edge_ * w.ranks())) {
    if (!takes_part()) return;
    // Skewed, so that the blocks that meet belong together.
    const std::size_t skew = (row_ + column_) % side_;
    put(make_block(seed, left, n_, row_ * edge_, skew * edge_, edge_, edge_), all_a_);
    put(make_block(seed, right, n_, skew * edge_, column_ * edge_, edge_, edge_), all_b_);
  }

  void multiply(own_counts& counts) {
    const std::size_t area = edge_ * edge_;
    const rank_id to_left = static_cast<rank_id>(row_ * side_ + (column_ + side_ - 1) % side_);
    const rank_id upwards = static_cast<rank_id>((row_ + side_ - 1) % side_ * side_ + column_);
    for (std::size_t step = 0; step < side_; ++step) {
      const double* const a = all_a_.mine().data() + step % 2 * area;
      const double* const b = all_b_.mine().data() + step % 2 * area;
      if (takes_part() && step + 1 < side_) {
        const auto half = static_cast<std::ptrdiff_t>((step + 1) % 2 * area);
        w_.bulk_store(all_a_.part(to_left) + half, a, area);
        w_.bulk_store(all_b_.part(upwards) + half, b, area);
      }
      if (takes_part()) {
        std::copy(a, a + area, a_.values.begin());
        add_product(sum_, a_, 0, b, edge_);
      }
      w_.all_store_sync();
      ++counts.barriers;
    }
  }
  [[nodiscard]] bool is_right(std::uint64_t seed) const {
    return !takes_part() || is_product(sum_, seed, n_, row_ * edge_, column_ * edge_);
  }

 private:
  static std::size_t side_of(std::size_t ranks) {
    std::size_t side = 1;
    while ((side + 1) * (side + 1) <= ranks) ++side;
    return side;
  }
  [[nodiscard]] bool takes_part() const { return w_.rank() < side_ * side_; }
  static void put(const block& from, spread_array<double>& to) {
    std::ranges::copy(from.values, to.mine().begin());
  }

  world& w_;
  const std::size_t side_;
  const std::size_t n_;
  const std::size_t edge_;
  const std::size_t row_;
  const std::size_t column_;
  block a_;
  block sum_;
  // Each has room for two blocks: one that is multiplied with, and one that comes.
  spread_array<double> all_a_;
  spread_array<double> all_b_;
};

class mm_program {
 public:
  mm_program(world& w, const options& from, std::size_t n) : from_(from) {
    if (from.variant == "cannon")
      square_.emplace(w, from.seed, n);
    else
      rows_.emplace(w, from.seed, n);
  }

  void run(phases& times, own_counts& counts) {
    times.begin("multiply");
    if (square_)
      square_->multiply(counts);
    else
      rows_->multiply(counts);
  }
  bool check() { return square_ ? square_->is_right(from_.seed) : rows_->is_right(from_.seed); }

 private:
  const options from_;
  std::optional<row_blocks> rows_;
  std::optional<square_blocks> square_;
};

}  // namespace

int main(int argc, char** argv) {
  return splitc_main<mm_program>(
      {inputs::mm, "Multiplies two matrices.", {"blocked", "cannon", "serial"}}, argc, argv);
}
