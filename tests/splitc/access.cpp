// Reads, writes, gets and puts of values of every size, to every rank.
#include "job.hpp"

#include <memory>
#include <stdexcept>

namespace splitc_test {
namespace {

CASE("a value of any size is written and read") {
  world& w = *the_world;
  for_sizes([&]<std::size_t Bytes>() {
    auto a = w.spread<block<Bytes>>(2 * w.ranks());
    const std::size_t mine = w.ranks() + job.next();  // only this rank writes it
    a[mine] = block<Bytes>(w.rank() + 1);
    EXPECT(block<Bytes>(a[mine]) == block<Bytes>(w.rank() + 1));
    w.barrier();
    for (rank_id r = 0; r < w.ranks(); ++r)
      EXPECT(block<Bytes>(a[w.ranks() + (r + 1) % w.ranks()]) == block<Bytes>(r + 1));
    EXPECT(block<Bytes>(a[job.next()]).bytes == (std::array<std::uint8_t, Bytes>{}));  // beside it
  });
}

CASE("values of any size are got and put, and there after one sync") {
  world& w = *the_world;
  constexpr std::size_t each = 5;
  for_sizes([&]<std::size_t Bytes>() {
    auto a = w.spread<block<Bytes>>(each * w.ranks() * w.ranks());
    const std::size_t first = each * w.ranks() * w.rank();
    for (std::size_t i = 0; i < each * w.ranks(); ++i) w.put(a[first + i], block<Bytes>(first + i));
    w.sync();
    std::vector<block<Bytes>> got(each * w.ranks(), block<Bytes>(77));
    for (std::size_t i = 0; i < got.size(); ++i)
      w.get(got[i], a.begin() + static_cast<std::int64_t>(first + i));
    w.sync();
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT(got[i] == block<Bytes>(first + i));
  });
}

CASE("any number of gets and puts may be outstanding, also while this rank reads") {
  world& w = *the_world;
  const std::size_t n = job.per_rank(5000);
  auto a = w.spread<word>(n * w.ranks());
  for (const std::size_t i : w.mine(a)) a.local(i) = i;
  w.barrier();
  std::vector<word> got(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t at = (i * 7 + w.rank()) % a.size();
    w.get(got[i], a[at]);
    if (i % 500 == 0) EXPECT_EQ(word{a[a.size() - 1]}, a.size() - 1);
  }
  w.sync();
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(got[i], (i * 7 + w.rank()) % a.size());
  w.sync();  // nothing is outstanding
  w.barrier();
}

CASE("memory of any kind is read and written through a pointer that its rank has made") {
  world& w = *the_world;
  static std::int32_t in_static = 0;
  const auto on_heap = std::make_unique<std::int16_t>(std::int16_t{0});
  char on_stack = 0;
  const auto statics = w.all_gather(w.global(&in_static));
  const auto heaps = w.all_gather(w.global(on_heap.get()));
  const auto stacks = w.all_gather(w.global(&on_stack));
  *statics[job.next()] = -5 - static_cast<std::int32_t>(w.rank());
  w.put(heaps[job.next()], static_cast<std::int16_t>(-3));
  w.put(*stacks[job.next()], 'x');
  w.sync();
  w.barrier();
  const auto before = static_cast<std::int32_t>((w.rank() + w.ranks() - 1) % w.ranks());
  EXPECT_EQ(in_static, -5 - before);
  EXPECT_EQ(*on_heap, -3);
  EXPECT_EQ(on_stack, 'x');
  EXPECT_EQ(std::int32_t{*statics[job.next()]}, -5 - static_cast<std::int32_t>(w.rank()));
  w.barrier();
  in_static = 0;
}

CASE("references copy values, and read-only pointers read") {
  world& w = *the_world;
  auto a = w.spread<double>(3 * w.ranks());
  const std::size_t mine = 3 * w.rank();
  a[mine] = 1.5;
  a[mine + 1] = a[mine];
  const global_ptr<const double> read_only = a.pointer(mine + 1);
  double got = 0;
  w.get(got, read_only);
  w.sync();
  EXPECT_EQ(got, 1.5);
  EXPECT_EQ(double(*read_only), 1.5);
  const auto r = a[mine + 2];
  r = 1 + *read_only;
  EXPECT_EQ(r + 1, 3.5);
  w.barrier();
}

struct node {
  double value;
  global_ptr<node> next;
};

CASE("a list over all ranks is followed by global pointers in it") {
  world& w = *the_world;
  node mine{w.rank() + 0.5, {}};
  const auto nodes = w.all_gather(w.global(&mine));
  mine.next = nodes[job.next()];
  w.barrier();
  global_ptr<node> g = nodes[w.rank()];
  double sum = 0;
  for (rank_id i = 0; i < w.ranks(); ++i, g = *member(g, &node::next))
    sum += *member(g, &node::value);
  EXPECT(g == nodes[w.rank()]);
  EXPECT_EQ(sum, w.ranks() * w.ranks() / 2.0);
  w.barrier();
}

struct origin {
  std::int32_t tag;
};
struct record : origin {
  std::int16_t values[3];
  global_ptr<record> next;
};

CASE("members are reached through pointers and references of every kind") {
  world& w = *the_world;
  auto a = w.spread<record>(2 * w.ranks());
  const std::size_t mine = w.ranks() + job.next();  // only this rank writes it
  *member(a[mine], &origin::tag) = 5;
  *member(a.pointer(mine), &record::next) = a.pointer(mine);
  w.put(member(a.begin() + static_cast<std::int64_t>(mine), &record::values) + 2, std::int16_t{-7});
  w.sync();
  const global_ptr<const record> read_only = a.pointer(mine);
  const global_ptr<const std::int16_t> values = member(read_only, &record::values);
  EXPECT_EQ(std::int16_t{values[2]}, -7);
  const record all = **member(read_only, &record::next);
  EXPECT(all.tag == 5 && all.values[2] == -7 && all.next == a.pointer(mine));
  w.barrier();
}

CASE("a pointer that lies elsewhere is followed") {
  world& w = *the_world;
  auto values = w.spread<word>(w.ranks());
  auto pointers = w.spread<global_ptr<word>>(w.ranks());
  values.local(w.rank()) = 10 + w.rank();
  pointers.local(w.rank()) = values.pointer(job.next());
  w.barrier();
  const rank_id behind = (w.rank() + 2) % w.ranks();
  EXPECT_EQ(word{*pointers[job.next()]}, 10U + behind);
  const global_ptr<global_ptr<word>> pp = pointers.pointer(job.next());
  EXPECT_EQ(word{**pp}, 10U + behind);
  w.barrier();
  **pp = w.rank();
  w.barrier();
  EXPECT_EQ(values.local(w.rank()), (w.rank() + 2 * w.ranks() - 2) % w.ranks());
}

CASE("bulk data is read, written, got and put") {
  world& w = *the_world;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{5000}}) {
    auto a = w.spread<std::uint32_t>((n + 1) * w.ranks());
    std::vector<std::uint32_t> out(n);
    std::vector<std::uint32_t> in(n, 9);
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint32_t>(i * 3 + w.rank());
    w.bulk_write(a.part(job.next()), out.data(), n);
    w.bulk_read(in.data(), a.part(job.next()), n);
    EXPECT(in == out);
    EXPECT_EQ(std::uint32_t{a.part(job.next())[n]}, 0U);
    for (std::uint32_t& value : out) value += 1;
    w.bulk_put(a[job.next()], out.data(), n);
    w.sync();
    w.bulk_get(in.data(), a.begin() + job.next(), n);
    w.sync();
    EXPECT(in == out);
    w.barrier();
  }
}

CASE("what a posted function throws does not end a read: a later call throws it") {
  world& w = *the_world;
  auto a = w.spread<word>(w.ranks());
  a[job.next()] = 3 + w.rank();
  EXPECT(w.endpoint().post([] { throw std::runtime_error("posted"); }).ok());
  EXPECT_EQ(word{a[job.next()]}, 3U + w.rank());
  bool thrown = false;
  try {
    w.poll();  // alone no message was sent, and the function runs here
    w.poll();
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  EXPECT(thrown);
  w.barrier();
}

CASE("what a posted function throws leaves sync and store_sync when they have ended", .ranks = 2) {
  world& w = *the_world;
  auto a = w.spread<word>(w.ranks());
  const auto expect_thrown = [&](auto&& call) {
    EXPECT(w.endpoint().post([] { throw std::runtime_error("posted"); }).ok());
    (void)am_ep_poll(w.endpoint().raw(), 0, nullptr);  // runs it, and throws nothing
    try {
      call();
      EXPECT(false);
    } catch (const std::runtime_error&) {
    }
  };
  word got = 1;
  expect_thrown([&] {
    w.get(got, a[job.next()]);
    w.sync();
  });
  EXPECT_EQ(got, 0U);
  w.barrier();
  const word taken = am::detail::splitc::current->taken;
  w.store(a[job.next()], word{7});
  expect_thrown([&] { w.store_sync(sizeof(word)); });
  EXPECT_EQ(a.local(w.rank()), 7U);
  EXPECT_EQ(am::detail::splitc::current->taken, taken + sizeof(word));
  w.all_store_sync();
}

}  // namespace
}  // namespace splitc_test
