// Bulk calls that return at once: thousands of them in flight before any poll.
#include "../support/suite.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace {

// The address of every rank's `mine`.
std::vector<am::word*> addresses(am_test::session& job, const char* key, am::word* mine) {
  auto& ep = job.ep();
  ep.job_put(key, std::as_bytes(std::span(&mine, 1)));
  ep.job_fence();
  std::vector<am::word*> all(job.ranks());
  for (am::rank_id rank = 0; rank < job.ranks(); ++rank)
    std::memcpy(&all[rank], ep.job_get(rank, key).data(), sizeof(am::word*));
  return all;
}

am::word value(am::rank_id of, std::size_t at) { return (am::word{of} << 32) + 7 * at; }

thread_local std::size_t got = 0;
thread_local std::size_t wrong = 0;
void on_word(am::reply_token t, void* where, std::size_t bytes, am::word at) {
  am::word found = 0;
  std::memcpy(&found, where, sizeof found);
  wrong += bytes != sizeof found || found != value(t.source(), at);
  ++got;
}

// `count` gets of a word each, from each of `from`, the ranks in turn.
void get_many(am_test::session& job, const std::vector<am::word*>& where, std::size_t count,
              const std::vector<am::rank_id>& from) {
  auto& ep = job.ep();
  const std::size_t before = got;
  std::vector<am::word> into(count * from.size());
  for (std::size_t i = 0; i < into.size(); ++i) {
    const am::rank_id rank = from[i % from.size()];
    ep.get<on_word>(rank, where[rank] + i / from.size(),
                    std::as_writable_bytes(std::span(&into[i], 1)), i / from.size());
  }
  ep.wait([&] { return got == before + into.size(); });
}

std::vector<am::rank_id> all_of(const am_test::session& job) {
  std::vector<am::rank_id> ranks(job.ranks());
  std::iota(ranks.begin(), ranks.end(), am::rank_id{0});
  return ranks;
}

CASE("10,000 gets to one rank are in flight, and to all") {
  const std::size_t count = job.per_rank(10000);
  const am::segment mine(job.ep(), count * sizeof(am::word));
  std::vector<am::word> other(count);
  auto* const words = static_cast<am::word*>(mine.address());
  for (std::size_t i = 0; i < count; ++i) words[i] = other[i] = value(job.rank(), i);
  const auto segments = addresses(job, "in_flight.segment", words);
  const auto others = addresses(job, "in_flight.other", other.data());
  for (const auto& where : {segments, others}) {
    get_many(job, where, count, {job.next()});
    get_many(job, where, count / job.ranks(), all_of(job));
  }
  job.ep().job_fence();
  EXPECT_EQ(wrong, std::size_t{0});
}

thread_local std::size_t added = 0;
void on_atomic(am::reply_token, am::word) { ++added; }

CASE("10,000 atomic operations are in flight") {
  auto& ep = job.ep();
  const std::size_t count = job.per_rank(10000);
  am::word mine = 0;
  const auto where = addresses(job, "in_flight.word", &mine);
  for (std::size_t i = 0; i < count; ++i) ep.fetch_add<on_atomic>(job.next(), where[job.next()], 1);
  ep.wait([&] { return added == count; });
  ep.job_fence();
  EXPECT_EQ(mine, am::word{count});
}

thread_local std::size_t arrived = 0;
thread_local std::size_t released = 0;
void on_store(am::request_token t, void* where, std::size_t bytes, am::word at) {
  am::word found = 0;
  std::memcpy(&found, where, sizeof found);
  wrong += bytes != sizeof found || found != value(t.source(), at) || at != arrived;
  ++arrived;
}
void on_source_free(am::reply_token, void*, std::size_t, am::word at) { released += at + 1; }

CASE("10,000 asynchronous stores are in flight, and arrive in order") {
  auto& ep = job.ep();
  const std::size_t count = job.per_rank(10000);
  std::vector<am::word> source(count);
  for (std::size_t i = 0; i < count; ++i) source[i] = value(job.rank(), i);
  std::vector<am::word> mine(count);
  const auto where = addresses(job, "in_flight.stores", mine.data());
  for (std::size_t i = 0; i < count; ++i)
    ep.store_async<on_store, on_source_free>(job.next(), where[job.next()] + i,
                                             std::as_bytes(std::span(&source[i], 1)), i, i);
  ep.wait([&] { return arrived == count && released == count * (count + 1) / 2; });
  ep.job_fence();
  EXPECT_EQ(wrong, std::size_t{0});
}

// Longer than a message, so that a transport that moves bytes itself does so.
thread_local std::size_t large_stored = 0;
void on_large_store(am::request_token t, void* where, std::size_t bytes, am::word number) {
  const auto* at = static_cast<const std::byte*>(where);
  const auto expected = static_cast<std::byte>(t.source() * 16 + number);
  for (std::size_t i = 0; i < bytes; i += 1000) wrong += at[i] != expected;
  ++large_stored;
}
thread_local std::size_t large_got = 0;
void on_large_get(am::reply_token t, void* where, std::size_t bytes, am::word number) {
  const auto* at = static_cast<const std::byte*>(where);
  const auto expected = static_cast<std::byte>(t.source() * 16 + number);
  for (std::size_t i = 0; i < bytes; i += 1000) wrong += at[i] != expected;
  ++large_got;
}
thread_local std::size_t large_free = 0;
void on_large_source_free(am::reply_token, void*, std::size_t, am::word) { ++large_free; }

CASE("large stores and gets in both directions are in flight at once") {
  auto& ep = job.ep();
  constexpr std::size_t many = 12;
  constexpr std::size_t bytes = 100000;
  const am::segment all = ep.all_segments(2 * many * bytes);
  const auto part = [&](void* segment, std::size_t number) {
    return std::span(static_cast<std::byte*>(segment) + number * bytes, bytes);
  };
  std::vector<std::byte> source(many * bytes);
  std::vector<std::byte> into(many * bytes);
  for (std::size_t i = 0; i < many; ++i) {
    const auto mark = static_cast<std::byte>(job.rank() * 16 + i);
    std::ranges::fill(part(source.data(), i), mark);
    std::ranges::fill(part(all.address(), many + i), mark);
  }
  ep.job_fence();
  const am::rank_id to = job.next();
  for (std::size_t i = 0; i < many; ++i) {
    ep.store_async<on_large_store, on_large_source_free>(to, part(all.address_at(to), i).data(),
                                                         part(source.data(), i), i, i);
    ep.get<on_large_get>(to, part(all.address_at(to), many + i).data(), part(into.data(), i), i);
  }
  ep.wait([&] { return large_stored == many && large_got == many && large_free == many; });
  ep.fence(to);
  ep.job_fence();
  EXPECT_EQ(wrong, std::size_t{0});
}

}  // namespace
