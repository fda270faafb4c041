// Spread arrays, pointers and ranges, and the collectives of a world.
#include "job.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <ranges>
#include <stdexcept>
#include <thread>
#include <type_traits>

namespace splitc_test {
namespace {

static_assert(sizeof(global_ptr<double>) == 16 && std::is_trivially_copyable_v<global_ptr<double>>);
static_assert(std::is_trivially_copyable_v<spread_ptr<double>>);
static_assert(!std::is_convertible_v<global_ptr<const int>, global_ptr<int>>);
static_assert(!std::is_assignable_v<reference<const int>, int>);
static_assert(std::ranges::input_range<index_range> && std::ranges::input_range<index_range_2d>);

CASE("element i of a spread array is at rank i % ranks, and zero at first") {
  world& w = *the_world;
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{w.ranks()}, std::size_t{100}}) {
    auto a = w.spread<std::uint32_t>(n);
    EXPECT_EQ(a.size(), n);
    std::size_t mine = 0;
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(a.pointer(i).rank(), i % w.ranks());
      EXPECT(a.pointer(i) == a.part(i % w.ranks()) + static_cast<std::ptrdiff_t>(i / w.ranks()));
      if (i % w.ranks() != w.rank()) continue;
      EXPECT_EQ(a.local(i), 0U);
      EXPECT(&a.local(i) == &a.mine()[mine]);
      ++mine;
    }
    EXPECT_EQ(a.mine().size(), mine);
  }
}

CASE("spread pointers move over the ranks, global pointers over addresses") {
  world& w = *the_world;
  auto a = w.spread<word>(3 * w.ranks() + 1);
  for (const std::size_t i : w.mine(a)) a.local(i) = i;
  w.barrier();
  word i = 0;
  for (auto p = a.begin(); p != a.end(); ++p, ++i) {
    EXPECT_EQ(word{*p}, i);
    EXPECT_EQ(p.rank(), i % w.ranks());
  }
  EXPECT_EQ(i, a.size());
  EXPECT_EQ(a.end() - a.begin(), static_cast<std::int64_t>(a.size()));
  auto p = 2 + a.begin();
  EXPECT_EQ(word{p[1]}, 3U);
  EXPECT_EQ((p++).index(), 2);
  EXPECT_EQ((p--).index(), 3);
  EXPECT((p - 1) < p && --p == a.begin() + 1);

  global_ptr<word> g = a.part(w.ranks() - 1);
  EXPECT_EQ(word{g[1]}, 2U * w.ranks() - 1);
  EXPECT_EQ(word{*++g}, 2U * w.ranks() - 1);
  EXPECT_EQ(g - a.part(w.ranks() - 1), 1);
  EXPECT_EQ(word{*(g++)}, 2U * w.ranks() - 1);
  EXPECT_EQ(word{*(--g - 1)}, w.ranks() - 1U);
  EXPECT(g > a.part(0) && g-- > g && g == a.part(w.ranks() - 1));
  EXPECT(!global_ptr<word>() && g && g == global_ptr<word>(g.rank(), g.address()));
  EXPECT(a.part(w.rank()).local() == a.mine().data());
  w.barrier();
}

CASE("every index below n is some rank's, and only once") {
  world& w = *the_world;
  for (const std::size_t n : {0, 1, 5, 64}) {
    std::vector<unsigned> seen(n);
    for (const std::size_t i : w.mine(n)) ++seen[i];
    w.team().all_reduce(seen, std::plus<>());
    EXPECT(std::all_of(seen.begin(), seen.end(), [](unsigned times) { return times == 1; }));
  }
  std::vector<unsigned> seen(5 * 7);
  for (const auto [row, column] : w.mine(5, 7)) {
    EXPECT(row < 5 && column < 7);
    EXPECT_EQ((row * 7 + column) % w.ranks(), w.rank());
    ++seen[row * 7 + column];
  }
  w.team().all_reduce(seen, std::plus<>());
  EXPECT(std::all_of(seen.begin(), seen.end(), [](unsigned times) { return times == 1; }));
}

CASE("an array may be moved, and replaced") {
  world& w = *the_world;
  auto a = w.spread<word>(w.ranks());
  a[job.next()] = 7;
  const auto p = a.begin();
  auto b = std::move(a);
  EXPECT_EQ(word{p[job.next()]}, 7U);
  b = w.spread<word>(2 * w.ranks());
  EXPECT_EQ(b.size(), 2U * w.ranks());
  EXPECT_EQ(word{b[job.next()]}, 0U);
}

CASE("an array that is destroyed has received the puts to it") {
  world& w = *the_world;
  auto* const here = am::detail::splitc::current;
  {
    auto a = w.spread<word>(w.ranks());
    for (word i = 0; i < 100; ++i) w.put(a[job.next()], i);
  }
  EXPECT_EQ(here->outstanding, 0U);
  w.sync();
}

CASE("the memory of an array that an exception destroys stays until the world ends") {
  world& w = *the_world;
  word* mine = nullptr;
  global_ptr<word> theirs;
  try {
    auto a = w.spread<word>(w.ranks());
    mine = a.mine().data();
    theirs = a.pointer(job.next());
    throw std::runtime_error("of the program");
  } catch (const std::runtime_error&) {
  }
  *theirs = w.rank() + 1;
  w.barrier();
  EXPECT_EQ(*mine, (w.rank() + w.ranks() - 1) % w.ranks() + 1U);
}

CASE("an array gets the memory of a destroyed one of its size, zero again") {
  world& w = *the_world;
  const std::size_t n = 5000 * w.ranks();
  word* first = nullptr;
  word* second = nullptr;
  {
    auto a = w.spread<word>(n);
    auto b = w.spread<word>(n);
    first = a.mine().data();
    second = b.mine().data();
    std::ranges::fill(a.mine(), ~word{0});
    std::ranges::fill(b.mine(), ~word{0});
  }
  auto other = w.spread<word>(2 * n);
  auto c = w.spread<std::uint32_t>(2 * n);
  auto d = w.spread<word>(n);
  const auto* const of_c = reinterpret_cast<word*>(c.mine().data());
  EXPECT((of_c == first && d.mine().data() == second) ||
         (of_c == second && d.mine().data() == first));
  EXPECT_EQ(c.size(), 2 * n);
  // A rank whose part is not zero yet gets no store.
  for (std::size_t i = 0; i < w.ranks(); ++i) w.store(d.part(job.next()), word{7});
  w.all_store_sync();
  EXPECT_EQ(d.mine()[0], 7U);
  EXPECT(std::ranges::all_of(c.mine(), [](std::uint32_t x) { return x == 0; }));
  EXPECT(std::ranges::all_of(d.mine().subspan(1), [](word x) { return x == 0; }));
}

CASE("the memory of an array is not used again while a rank reads it") {
  world& w = *the_world;
  const std::size_t n = 6000 * w.ranks();
  {
    auto a = w.spread<word>(n);
    a.mine()[0] = 7;
    w.barrier();
    if (w.rank() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      EXPECT_EQ(word{*a.part(job.next())}, 7U);
    }
  }
  EXPECT_EQ(w.spread<word>(n).mine()[0], 0U);
}

CASE("where one rank has no memory left over, all make new memory") {
  world& w = *the_world;
  const std::size_t n = 7000 * w.ranks();
  { auto a = w.spread<word>(n); }
  auto* const here = am::detail::splitc::current;
  if (w.rank() == 0) here->spare = {};
  auto b = w.spread<word>(n);
  const auto parts = w.all_gather(reinterpret_cast<std::uintptr_t>(b.mine().data()));
  for (am::rank_id r = 0; r < w.ranks(); ++r)
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.part(r).address()), parts[r]);
  w.store(b.part(job.next()), word{w.rank() + 1U});
  w.all_store_sync();
  EXPECT_EQ(b.mine()[0], (w.rank() + w.ranks() - 1) % w.ranks() + 1U);
}

CASE("an array that is too large for any machine is refused") {
  for (const std::size_t n :
       {std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max() / 4 * 3}) {
    try {
      (void)the_world->spread<block<70000>>(n);
      EXPECT(false);
    } catch (const am::error& e) {
      EXPECT_EQ(e.status().code(), AM_ARGUMENT_SIZE);
    }
  }
}

CASE("global pointers travel in messages") {
  world& w = *the_world;
  static thread_local int before_is_here = 0;
  auto a = w.spread<word>(w.ranks());
  before_is_here = 0;
  w.barrier();
  w.endpoint().request<[](am::request_token t, global_ptr<word> g) {
    before_is_here = g.rank() == t.source() ? 1 : -1;
  }>(job.next(), a.part(w.rank()));
  w.endpoint().wait([] { return before_is_here != 0; });
  EXPECT_EQ(before_is_here, 1);
}

CASE("collectives are those of the team of all ranks") {
  world& w = *the_world;
  EXPECT_EQ(w.broadcast(w.ranks() - 1, w.rank()), w.ranks() - 1);
  const word all = w.ranks() * (w.ranks() - 1) / 2;
  EXPECT_EQ(w.all_reduce(word{w.rank()}, std::plus<>()), all);
  const word at_root = w.reduce(0, word{w.rank()}, std::plus<>());
  if (w.rank() == 0) EXPECT_EQ(at_root, all);
  EXPECT_EQ(w.scan(word{1}, std::plus<>()), w.rank() + 1U);
  EXPECT_EQ(w.all_gather(w.rank()).back(), w.ranks() - 1);
}

}  // namespace
}  // namespace splitc_test
