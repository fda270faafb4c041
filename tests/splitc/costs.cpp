// What each access costs in messages, by the counters of libam: the table of docs/splitc.md.
#include "job.hpp"

#include <functional>
#include <numeric>

namespace splitc_test {
namespace {

constexpr word times = 10;

struct cost {
  word requests = 0;
  word answers = 0;
  word stores = 0;
  word gets = 0;
  word atomics = 0;

  [[nodiscard]] std::string text() const {
    return std::to_string(requests) + " requests, " + std::to_string(answers) + " answers, " +
           std::to_string(stores) + " stores, " + std::to_string(gets) + " gets, " +
           std::to_string(atomics) + " atomics";
  }
  // The messages of bulk calls differ from transport to transport.
  [[nodiscard]] cost bulk_calls() const { return {0, 0, stores, gets, atomics}; }
  friend bool operator==(const cost&, const cost&) = default;
};

// What `times` accesses to the next rank and a sync cost this rank.
template <class Access>
cost cost_of(am_test::session& job, Access&& access) {
  world& w = *the_world;
  w.barrier();
  const am_traffic before = w.endpoint().stats(job.next());
  for (word i = 0; i < times; ++i) access();
  w.sync();
  const am_traffic now = w.endpoint().stats(job.next());
  w.all_store_sync();
  return {now.requests - before.requests, now.answers - before.answers, now.stores - before.stores,
          now.gets - before.gets, now.atomics - before.atomics};
}

void expect_cost(const cost& found, const cost& wanted, const char* what, int line) {
  if (found == wanted) return;
  am_test::fail(__FILE__, line, std::string(what) + ": " + found.text() + ", not " + wanted.text());
}

#define AM_EXPECT_COST(access, ...) \
  expect_cost(cost_of(job, [&] { access; }), cost{__VA_ARGS__}, #access, __LINE__)
#define AM_EXPECT_BULK(access, ...) \
  expect_cost(cost_of(job, [&] { access; }).bulk_calls(), cost{__VA_ARGS__}, #access, __LINE__)

// Of a value of this size, to and from the next rank.
template <std::size_t Bytes>
void expect_costs_in_words(am_test::session& job) {
  world& w = *the_world;
  auto a = w.spread<block<Bytes>>(w.ranks());
  const auto g = a.pointer(job.next());
  block<Bytes> x(3);
  AM_EXPECT_COST(x = *g, .requests = times, .answers = times);
  AM_EXPECT_COST(*g = x, .requests = times, .answers = times);
  AM_EXPECT_COST(w.get(x, g), .requests = times, .answers = times);
  AM_EXPECT_COST(w.put(g, x), .requests = times, .answers = times);
  AM_EXPECT_COST(w.store(g, x), .requests = times);
  AM_EXPECT_COST((w.atomic<[](block<Bytes>& at) { at.bytes[0] = 1; }>(g)), .requests = times,
                 .answers = times);
}

CASE("up to two words a get or put is a request and a reply, a store is a request", .ranks = 2) {
  expect_costs_in_words<1>(job);
  expect_costs_in_words<8>(job);
  expect_costs_in_words<16>(job);
}

CASE("larger values and bulk data are one bulk call each", .ranks = 2) {
  world& w = *the_world;
  constexpr std::size_t n = 100;
  auto a = w.spread<block<17>>(n * w.ranks());
  const auto g = a.part(job.next());
  block<17> x(3);
  std::vector<block<17>> many(n, x);
  AM_EXPECT_BULK(x = *g, .gets = times);
  AM_EXPECT_BULK(w.get(x, g), .gets = times);
  AM_EXPECT_BULK(w.bulk_get(many.data(), g, n), .gets = times);
  AM_EXPECT_BULK(w.bulk_read(many.data(), g, n), .gets = times);
  AM_EXPECT_BULK(*g = x, .stores = times);
  AM_EXPECT_BULK(w.put(g, x), .stores = times);
  AM_EXPECT_BULK(w.bulk_put(g, many.data(), n), .stores = times);
  AM_EXPECT_BULK(w.bulk_write(g, many.data(), n), .stores = times);
  AM_EXPECT_BULK(w.store(g, x), .stores = times);
  AM_EXPECT_BULK(w.bulk_store(g, many.data(), n), .stores = times);
}

CASE("an atomic operation on a word is one of libam's", .ranks = 2) {
  world& w = *the_world;
  auto a = w.spread<word>(w.ranks());
  const auto g = a.pointer(job.next());
  AM_EXPECT_BULK(w.fetch_add(g, 1), .atomics = times);
  AM_EXPECT_BULK(w.exchange(g, 1), .atomics = times);
  AM_EXPECT_BULK(w.compare_exchange(g, 1, 2), .atomics = times);
}

CASE("access to this rank's own memory costs no message") {
  world& w = *the_world;
  auto a = w.spread<word>(w.ranks());
  const auto g = a.pointer(w.rank());
  std::vector<word> x(1);
  w.barrier();
  const am_traffic before = w.endpoint().stats(w.rank());
  x[0] = *g;
  *g = x[0];
  w.get(x[0], g);
  w.put(g, x[0]);
  w.store(g, x[0]);
  w.bulk_read(x.data(), g, 1);
  w.bulk_write(g, x.data(), 1);
  w.bulk_store(g, x.data(), 1);
  w.atomic<[](word& at) { ++at; }>(g);
  w.sync();
  w.store_sync(2 * sizeof(word));
  const am_traffic now = w.endpoint().stats(w.rank());
  EXPECT_EQ(now.requests + now.gets + now.stores, before.requests + before.gets + before.stores);
  EXPECT_EQ(word{*g}, 1U);
}

CASE("all_store_sync with no store under way is one all_reduce") {
  world& w = *the_world;
  const auto sent_by_all = [&] { return w.all_reduce(w.team().counts().sent, std::plus<>()); };
  w.all_store_sync();
  const word before = sent_by_all();
  const word all_reduce = sent_by_all() - before;
  w.all_store_sync();
  EXPECT_EQ(sent_by_all() - before, 3 * all_reduce);
  EXPECT_EQ(all_reduce, 2U * (w.ranks() - 1));
}

}  // namespace
}  // namespace splitc_test
