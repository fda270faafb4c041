// What the checked build refuses: the status, and a line that begins with the place in this file.
#include "job.hpp"

namespace splitc_test {
namespace {

template <class Call>
void expect_refused(Call&& call, am_status why, const std::string& words, int line) {
  const std::string place = std::string(__FILE__) + ":" + std::to_string(line) + ": ";
  try {
    call();
    am_test::fail(__FILE__, line, "not refused");
  } catch (const am::error& e) {
    const std::string what = e.what();
    if (e.status().code() != why) am_test::fail(__FILE__, line, e.status().text());
    if (what.find(place) != 0) am_test::fail(__FILE__, line, "another place: " + what);
    if (what.find(words) == std::string::npos) am_test::fail(__FILE__, line, what);
  }
}

#define AM_EXPECT_REFUSED(why, words, ...) \
  expect_refused([&] { __VA_ARGS__; }, why, words, __LINE__)

CASE("an index outside a spread array is refused") {
  world& w = *the_world;
  const std::size_t n = 3 * w.ranks();
  auto a = w.spread<double>(n);
  double x = 0;
  const std::string words =
      "element " + std::to_string(n) + " of a spread array of " + std::to_string(n);
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, words, x = a[n]);
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, words, a[n] = x);
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, "element -1 of", x = a[-1]);
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, words, x = *a.end());
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, words, x = a.begin()[n]);
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, words, w.get(x, a[n]));
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, words, (void)a.pointer(n));
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, words, a.local(n) = 1);
}

CASE("an access that leaves the memory of a spread array is refused") {
  world& w = *the_world;
  auto a = w.spread<double>(3 * w.ranks() - 1);  // the last rank has 2 elements
  std::vector<double> here(4);
  const auto g = a.part(job.next());
  const std::string words = "at rank " + std::to_string(job.next()) + ", which has " +
                            (job.next() + 1 == w.ranks() ? "16" : "24");
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, words, w.bulk_get(here.data(), g, 4));
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, words, w.bulk_put(g + 1, here.data(), 3));
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, words, w.bulk_store(g, here.data(), 4));
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, words, w.bulk_read(here.data(), g, 4));
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, words, w.bulk_write(g, here.data(), 4));
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, words, here[0] = *(g + 3));
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, words, here[0] = g[3]);
  w.bulk_read(here.data(), g, 2);  // inside
}

struct pair {
  word first;
  word second;
};

CASE("a spread pointer to no element is refused, also where its page has room") {
  world& w = *the_world;
  auto a = w.spread<word>(512 * w.ranks());  // a page for each rank
  word x = 0;
  const std::string words = "element " + std::to_string(a.size()) + " of";
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, words, w.get(x, a.end()));
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, words, w.put(a.end(), x));
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, words, w.store(a.end(), x));
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, words, w.bulk_get(&x, a.end(), 1));
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, words, w.fetch_add(a.end(), 1));
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, "element -1 of", w.put(a.begin() - 1, x));
  AM_EXPECT_REFUSED(AM_ARGUMENT_ADDRESS, "a null spread", w.get(x, spread_ptr<word>()));
  w.bulk_get(&x, a.end(), 0);
  w.bulk_get(&x, spread_ptr<word>(), 0);
  auto pairs = w.spread<pair>(w.ranks());
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, "element", (void)member(pairs.end(), &pair::first));
  AM_EXPECT_REFUSED(AM_ARGUMENT_ADDRESS, "a null spread",
                    (void)member(spread_ptr<pair>(), &pair::first));
}

CASE("so many elements that their bytes cannot be counted are refused") {
  world& w = *the_world;
  auto a = w.spread<word>(w.ranks());
  word* const here = a.mine().data();
  const std::size_t n = std::size_t{1} << 61;
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, std::to_string(n) + " elements of 8 bytes",
                    w.bulk_get(here, a.part(job.next()), n));
  AM_EXPECT_REFUSED(AM_ARGUMENT_SIZE, "which has 8", w.bulk_get(here, a.part(job.next()), n / 4));
}

CASE("a second world in a thread is refused") {
  try {
    const am::detail::splitc::current_scope second(nullptr);
    EXPECT(false);
  } catch (const am::error& e) {
    EXPECT_EQ(e.status().code(), AM_USAGE_OTHER_THREAD);
  }
}

CASE("a pointer to a rank that does not exist is refused") {
  world& w = *the_world;
  word mine = 0;
  word x = 0;
  const global_ptr<word> g(w.ranks(), &mine);
  const std::string words = "to rank " + std::to_string(w.ranks()) + ": this job has ranks 0 to " +
                            std::to_string(w.ranks() - 1);
  AM_EXPECT_REFUSED(AM_ARGUMENT_RANK, words, x = *g);
  AM_EXPECT_REFUSED(AM_ARGUMENT_RANK, words, *g = x);
  AM_EXPECT_REFUSED(AM_ARGUMENT_RANK, words, w.get(x, g));
  AM_EXPECT_REFUSED(AM_ARGUMENT_RANK, words, w.put(g, 1));
  AM_EXPECT_REFUSED(AM_ARGUMENT_RANK, words, w.store(g, 1));
  AM_EXPECT_REFUSED(AM_ARGUMENT_RANK, words, w.bulk_get(&x, g, 1));
  AM_EXPECT_REFUSED(AM_ARGUMENT_RANK, words, w.fetch_add(g, 1));
  AM_EXPECT_REFUSED(AM_ARGUMENT_RANK, words, w.exchange(g, 1));
  AM_EXPECT_REFUSED(AM_ARGUMENT_RANK, words, w.compare_exchange(g, 1, 2));
  AM_EXPECT_REFUSED(AM_ARGUMENT_RANK, words, (w.atomic<[](word& at) { ++at; }>(g)));
  AM_EXPECT_REFUSED(AM_ARGUMENT_RANK, words, (w.atomic<[](word& at, int by) { at += by; }>(g, 3)));
  const auto a = w.spread<word>(1);
  AM_EXPECT_REFUSED(AM_ARGUMENT_RANK, words, (void)a.part(w.ranks()));
}

CASE("a null pointer is refused") {
  world& w = *the_world;
  const global_ptr<int> none;
  int x = 0;
  AM_EXPECT_REFUSED(AM_ARGUMENT_ADDRESS, "a null global pointer", x = *none);
  AM_EXPECT_REFUSED(AM_ARGUMENT_ADDRESS, "a null global pointer", w.put(none, x));
}

CASE("the address of a pointer to another rank is refused", .ranks = 2) {
  world& w = *the_world;
  const auto a = w.spread<word>(w.ranks());
  AM_EXPECT_REFUSED(AM_ARGUMENT_RANK, "is not of this rank", (void)a.part(job.next()).local());
  AM_EXPECT_REFUSED(AM_ARGUMENT_RANK, "is not of this rank", a.local(job.next()) = 1);
  EXPECT(a.part(w.rank()).local() == &a.local(w.rank()));
}

CASE("an array that is freed is not checked any more") {
  world& w = *the_world;
  const std::size_t before = am::detail::splitc::current->arrays.size();
  { const auto a = w.spread<word>(1); }
  EXPECT_EQ(am::detail::splitc::current->arrays.size(), before);
}

}  // namespace
}  // namespace splitc_test
