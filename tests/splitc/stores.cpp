// Stores: counted in bytes where they arrive.
#include "job.hpp"

namespace splitc_test {
namespace {

CASE("after all_store_sync all stores of all ranks are there") {
  world& w = *the_world;
  const std::size_t rounds = job.per_rank(200);
  auto a = w.spread<word>(10 * w.ranks() * w.ranks());
  const std::size_t first = 10 * w.ranks() * w.rank();
  for (word round = 1; round <= rounds; ++round) {
    for (std::size_t i = first; i < first + 10 * w.ranks(); ++i) w.store(a[i], round + i);
    w.all_store_sync();
    for (const std::size_t i : w.mine(a)) EXPECT_EQ(a.local(i), round + i);
    w.barrier();  // the next round changes them
  }
}

CASE("values of any size are stored") {
  world& w = *the_world;
  for_sizes([&]<std::size_t Bytes>() {
    auto a = w.spread<block<Bytes>>(w.ranks());
    w.store(a[job.next()], block<Bytes>(w.rank()));
    w.all_store_sync();
    EXPECT(a.mine()[0] == block<Bytes>((w.rank() + w.ranks() - 1) % w.ranks()));
  });
}

CASE("bulk data is stored, also none") {
  world& w = *the_world;
  constexpr std::size_t n = 3000;
  auto a = w.spread<double>(n * w.ranks());
  const std::vector<double> out(n, 0.5 + w.rank());
  w.bulk_store(a.part(job.next()), out.data(), n);
  w.bulk_store(a.part(job.next()), out.data(), 0);
  w.all_store_sync();
  for (const double value : a.mine())
    EXPECT_EQ(value, 0.5 + (w.rank() + w.ranks() - 1) % w.ranks());
}

CASE("store_sync waits for the bytes since the last one, and leaves the others") {
  world& w = *the_world;
  auto a = w.spread<std::uint16_t>(8 * w.ranks());
  const auto next = a.part(job.next());
  for (std::ptrdiff_t i = 0; i < 8; ++i) w.store(next + i, static_cast<std::uint16_t>(i + 1));
  w.store_sync(4 * sizeof(std::uint16_t));  // they come in order
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(a.mine()[i], i + 1);
  w.store_sync(3 * sizeof(std::uint16_t));
  w.store_sync(0);
  w.store_sync(1 * sizeof(std::uint16_t));
  EXPECT_EQ(a.mine()[7], 8U);
  w.barrier();
}

CASE("store_sync counts bulk data, too") {
  world& w = *the_world;
  constexpr std::size_t n = 1000;
  auto a = w.spread<word>(n * w.ranks());
  const std::vector<word> out(n, w.rank() + 1);
  w.bulk_store(a.part(job.next()), out.data(), n);
  w.store_sync(n * sizeof(word));
  const word before = (w.rank() + w.ranks() - 1) % w.ranks();
  EXPECT_EQ(a.mine()[0], before + 1);
  EXPECT_EQ(a.mine()[n - 1], before + 1);
  w.barrier();
}

// A rank that leaves all_store_sync first stores to one that is still in it.
CASE("stores that come while a rank is still in all_store_sync count for its next store_sync") {
  world& w = *the_world;
  auto a = w.spread<word>(w.ranks());
  const std::size_t rounds = job.per_rank(2000);
  for (word round = 1; round <= rounds; ++round) {
    w.store(a[job.next()], round);
    w.all_store_sync();
    w.store(a[job.next()], 2 * round);
    w.store_sync(sizeof(word));
    EXPECT_EQ(a.mine()[0], 2 * round);
    w.barrier();
  }
}

CASE("all_store_sync takes from the count what store_sync has not") {
  world& w = *the_world;
  auto a = w.spread<word>(2 * w.ranks());
  w.store(a.part(job.next()), word{1});
  w.store(a.part(job.next()) + 1, word{2});
  w.store_sync(sizeof(word));
  w.all_store_sync();
  w.store(a.part(job.next()), word{3});
  w.store_sync(sizeof(word));
  EXPECT_EQ(a.mine()[0], 3U);
  w.barrier();
}

}  // namespace
}  // namespace splitc_test
