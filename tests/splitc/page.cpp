// Every construct that docs/splitc.md shows, in a program that checks what it does.
#include <am/splitc.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

using namespace am::splitc;

namespace {

void check(bool good, int line) {
  if (good) return;
  std::fprintf(stderr, "docs/splitc.md: line %d of its program is wrong\n", line);
  std::_Exit(1);
}
#define AM_CHECK(...) check(__VA_ARGS__, __LINE__)

void access(world& w) {
  const am::rank_id p = (w.rank() + 1) % w.ranks();
  const am::rank_id before = (w.rank() + w.ranks() - 1) % w.ranks();
  double mine[4] = {1, 2, 3, 4};
  const std::vector<global_ptr<double>> all = w.all_gather(w.global(mine));
  global_ptr<double> g = all[p];
  AM_CHECK(g.rank() == p && w.global(mine).local() == mine);
  g = g + 1;

  double x = *g;
  AM_CHECK(x == 2);
  w.barrier();
  *g = x + 1;
  w.barrier();
  AM_CHECK(mine[1] == 3);
  w.barrier();

  double y = 0;
  w.get(x, g);
  w.put(g[1], 7.0);
  w.get(y, g - 1);
  w.sync();
  AM_CHECK(x == 3 && y == 1);
  w.barrier();
  AM_CHECK(mine[2] == 7);
  w.barrier();

  w.store(g, 5.0);
  w.store(g + 1, 6.0);
  w.store_sync(2 * sizeof(double));
  AM_CHECK(mine[1] == 5 && mine[2] == 6);
  w.barrier();
  w.store(g, 8.0 + w.rank());
  w.all_store_sync();
  AM_CHECK(mine[1] == 8.0 + before);

  double here[3];
  w.bulk_read(here, g, 3);
  w.bulk_get(here, g, 3);
  w.sync();
  AM_CHECK(here[0] == 8.0 + w.rank() && here[2] == 4);
  w.barrier();
  w.bulk_write(g, here, 3);
  w.bulk_put(g, here, 3);
  w.sync();
  w.bulk_store(g, here, 3);
  w.store_sync(3 * sizeof(double));
  AM_CHECK(mine[1] == 8.0 + before);
  w.barrier();
}

struct node {
  double value;
  global_ptr<node> next;
};

void arrays(world& w) {
  const std::size_t n = 10;
  auto a = w.spread<long>(n);
  for (auto i : w.mine(a)) a.local(i) = static_cast<long>(i);
  w.barrier();
  long sum = 0;
  for (spread_ptr<long> s = a.begin(); s != a.end(); ++s) sum += *s;
  AM_CHECK(sum == 45 && a[9] == 9);
  long mine = 0;
  for (long value : a.mine()) mine += value;
  AM_CHECK(w.all_reduce(mine, std::plus<>()) == 45);

  std::size_t places = 0;
  for (auto [i, j] : w.mine(4, 5)) places += i * 5 + j;
  AM_CHECK(w.all_reduce(places, std::plus<>()) == 190);

  const std::size_t q = 3;
  auto blocks = w.spread<double>(q * w.ranks());
  global_ptr<double> block = blocks.part((w.rank() + 1) % w.ranks());
  block[2] = 1.5;
  AM_CHECK(*(block + 2) == 1.5);
  w.barrier();
}

void members(world& w) {
  auto nodes = w.spread<node>(w.ranks());
  global_ptr<node> g = nodes.pointer((w.rank() + 1) % w.ranks());
  *member(g, &node::value) = 2.5;
  *member(g, &node::next) = nodes.pointer(w.rank());
  double x = *member(g, &node::value);
  AM_CHECK(x == 2.5 && node(*g).next.rank() == w.rank());
  w.barrier();
}

void keep_largest(long& at, long value) { at = std::max(at, value); }

void together(world& w) {
  auto a = w.spread<long>(w.ranks());
  const auto g = a.pointer(0);
  w.atomic<keep_largest>(g, w.rank() + 1L);
  w.barrier();
  AM_CHECK(*g == w.ranks());
  w.barrier();
  long old = w.fetch_add(g, 1);
  w.barrier();
  AM_CHECK(*g == 2L * w.ranks() && old >= w.ranks());
  w.barrier();
  old = w.exchange(g, -1);
  AM_CHECK(old == -1 || old == 0 || old == 2L * w.ranks());
  old = w.compare_exchange(g, -1, 0);
  AM_CHECK(old == -1 || old == 0);

  const long v = w.rank() + 1;
  const long sum = w.all_reduce(v, std::plus<>());
  AM_CHECK(w.scan(v, std::plus<>()) == v * (v + 1) / 2);
  const long at_root = w.reduce(0, v, std::plus<>());
  if (w.rank() == 0) AM_CHECK(at_root == sum);
  AM_CHECK(w.broadcast(0, v) == 1);
  w.poll();
}

}  // namespace

int main(int argc, char** argv) {
  ::alarm(60);
  world w(argc, argv);
  access(w);
  arrays(w);
  members(w);
  together(w);
}
