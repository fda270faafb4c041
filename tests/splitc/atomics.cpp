// Functions that run at the rank of their operand, and the atomic operations on words.
#include "job.hpp"

#include <functional>

namespace splitc_test {
namespace {

std::uint8_t add_small(std::uint8_t& at, std::uint8_t more) {
  at = static_cast<std::uint8_t>(at + more);
  return at;
}

struct extremes {
  double least;
  double most;
  int count;
};
struct range {
  double least;
  double most;
};

CASE("an atomic function sees and changes its operand alone") {
  world& w = *the_world;
  auto a = w.spread<std::uint8_t>(w.ranks());
  constexpr unsigned times = 20;
  for (unsigned i = 0; i < times; ++i) w.atomic<add_small>(a[0], std::uint8_t{1});
  w.barrier();
  EXPECT_EQ(std::uint8_t{a[0]}, static_cast<std::uint8_t>(times * w.ranks()));
}

CASE("an atomic function takes up to two values and returns up to two words, or nothing") {
  world& w = *the_world;
  auto a = w.spread<extremes>(w.ranks());
  const auto g = a.begin() + job.next();
  w.atomic<[](extremes& e) { e = {1, 1, 0}; }>(g);
  const auto widen = [](extremes& e, double least, float most) {
    ++e.count;
    e.least = std::min(e.least, least);
    e.most = std::max<double>(e.most, most);
    return range{e.least, e.most};
  };
  w.atomic<widen>(*g, 0.25, 2.0F);
  const range now = w.atomic<widen>(g.global(), 0.5, 4.0F);
  EXPECT_EQ(now.least, 0.25);
  EXPECT_EQ(now.most, 4.0);
  EXPECT_EQ(extremes(*g).count, 2);
  const int more = w.atomic<[](extremes& e, int by) { return e.count + by; }>(g, 40);
  EXPECT_EQ(more, 42);
  w.barrier();
}

CASE("fetch_add, exchange and compare_exchange return the word before") {
  world& w = *the_world;
  auto sums = w.spread<std::int64_t>(w.ranks());
  auto flags = w.spread<double>(w.ranks());
  const std::int64_t times = job.per_rank(300);
  std::int64_t last = 1;
  for (std::int64_t i = 0; i < times; ++i) {
    const std::int64_t before = w.fetch_add(sums[0], -1);
    EXPECT(before < last);
    last = before;
  }
  w.barrier();
  EXPECT_EQ(std::int64_t{sums[0]}, -times * w.ranks());
  const auto mine = flags.begin() + job.next();
  EXPECT_EQ(w.exchange(mine, 1.5), 0.0);
  EXPECT_EQ(w.compare_exchange(mine, 2.5, 9.0), 1.5);
  EXPECT_EQ(w.compare_exchange(*mine, 1.5, 2.5), 1.5);
  EXPECT_EQ(double(*mine), 2.5);
  w.barrier();
}

CASE("compare_exchange makes a lock") {
  world& w = *the_world;
  auto lock = w.spread<word>(1);
  auto sum = w.spread<word>(1);
  const word times = job.per_pair(100);
  for (word i = 0; i < times; ++i) {
    while (w.compare_exchange(lock[0], 0, w.rank() + 1) != 0) w.poll();
    sum[0] = sum[0] + 1;
    EXPECT_EQ(w.exchange(lock[0], 0), w.rank() + 1U);
  }
  w.barrier();
  EXPECT_EQ(word{sum[0]}, times * w.ranks());
  w.barrier();
}

}  // namespace
}  // namespace splitc_test
