// Bulk data: every size into and out of segments and any other memory, with its handler after it.
#include "../support/suite.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace {

using buffer = std::vector<std::byte>;

constexpr std::size_t sizes[] = {0,    1,    7,     63,    64,    65,     4095,
                                 4096, 4097, 16383, 16384, 16385, 200001, 1 << 20};
constexpr std::size_t largest = 1 << 20;

// Bytes that differ by rank, number and offset.
std::byte pattern(am::rank_id rank, am::word number, std::size_t at) {
  return static_cast<std::byte>(at * 31 + at / 251 + number * 7 + rank * 13 + 1);
}
void fill(am::bytes_out bytes, am::rank_id rank, am::word number) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = pattern(rank, number, i);
}
std::size_t count_wrong(am::bytes_in bytes, am::rank_id rank, am::word number) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) wrong += bytes[i] != pattern(rank, number, i);
  return wrong;
}

// The address of every rank's `mine`.
std::vector<void*> addresses(am_test::session& job, const char* key, void* mine) {
  auto& ep = job.ep();
  ep.job_put(key, std::as_bytes(std::span(&mine, 1)));
  ep.job_fence();
  std::vector<void*> all(job.ranks());
  for (am::rank_id rank = 0; rank < job.ranks(); ++rank)
    std::memcpy(&all[rank], ep.job_get(rank, key).data(), sizeof(void*));
  return all;
}

// ---- store ----

thread_local std::uint64_t stored = 0;
thread_local std::size_t wrong_bytes = 0;
thread_local void* expected_place = nullptr;
thread_local unsigned wrong_places = 0;
thread_local unsigned small_before = 0;
thread_local unsigned wrong_order = 0;

void on_small(am::request_token, am::word) { ++small_before; }
void on_store(am::request_token t, void* where, std::size_t bytes, am::word number) {
  wrong_bytes += count_wrong({static_cast<std::byte*>(where), bytes}, t.source(), number);
  wrong_places += where != expected_place;
  wrong_order += small_before != stored + 1;
  ++stored;
}

void store_every_size(am_test::session& job, const std::vector<void*>& where, void* mine) {
  auto& ep = job.ep();
  expected_place = mine;
  buffer source(largest);
  const am::rank_id to = job.next();
  am::word number = 0;
  const std::uint64_t before = stored;
  ep.job_fence();
  for (const std::size_t size : sizes) {
    const am::bytes_out data(source.data(), size);
    fill(data, job.rank(), ++number);
    ep.request<on_small>(to, number);
    ep.store<on_store>(to, where[to], data, number);
    // The source is free on return; the target is not, before the handler there has run.
    std::fill(source.begin(), source.end(), std::byte{0xee});
    ep.wait([&] { return stored == before + number; });
    ep.job_fence();
  }
  EXPECT_EQ(wrong_bytes, std::size_t{0});
  EXPECT_EQ(wrong_places, 0U);
  EXPECT_EQ(wrong_order, 0U);
}

CASE("stores of every size into a segment, each after the requests before it") {
  am::segment mine(job.ep(), largest);
  EXPECT(mine.address_at(job.rank()) == mine.address());
  EXPECT(job.ranks() == 1 || mine.address_at(job.next()) == nullptr);
  store_every_size(job, addresses(job, "bulk.segment", mine.address()), mine.address());
  job.ep().job_fence();
}

CASE("stores of every size into memory outside segments") {
  buffer mine(largest);
  store_every_size(job, addresses(job, "bulk.heap", mine.data()), mine.data());
  job.ep().job_fence();
}

// ---- store_async ----

thread_local unsigned released = 0;
thread_local am::word released_sum = 0;
thread_local unsigned async_stored = 0;
thread_local am::word inside_call = 0;  // not 0: the number of the call that this rank is in
thread_local unsigned ran_inside = 0;
void on_async_store(am::request_token, void*, std::size_t, am::word) { ++async_stored; }
void on_source_free(am::reply_token, void* data, std::size_t bytes, am::word context) {
  ++released;
  released_sum += context + bytes;
  ran_inside += inside_call == context + 1;
  wrong_places += data != expected_place;
}

CASE("store_async reports once, after the call, that its source is free") {
  auto& ep = job.ep();
  const am::segment all = ep.all_segments(100000);
  buffer source(100000);
  expected_place = source.data();
  const unsigned count = 20;
  am::word sum = 0;
  for (unsigned i = 0; i < count; ++i) {
    inside_call = i + 1;
    const std::size_t size = i * 5000;
    ep.store_async<on_async_store, on_source_free>(job.next(), all.address_at(job.next()),
                                                   am::bytes_in(source.data(), size), i, 3);
    inside_call = 0;
    sum += i + size;
  }
  ep.wait([&] { return released == count && async_stored == count; });
  ep.job_fence();
  EXPECT_EQ(released, count);
  EXPECT_EQ(released_sum, sum);
  EXPECT_EQ(wrong_places, 0U);
  EXPECT_EQ(ran_inside, 0U);
}

// ---- get ----

thread_local unsigned got = 0;
void on_get(am::reply_token t, void* where, std::size_t bytes, am::word number) {
  wrong_bytes += count_wrong({static_cast<std::byte*>(where), bytes}, t.source(), number);
  ran_inside += inside_call != 0;
  ++got;
}

void get_every_size(am_test::session& job, const std::vector<void*>& where) {
  auto& ep = job.ep();
  buffer into(largest);
  for (const std::size_t size : sizes) {
    for (am::rank_id from = 0; from < job.ranks(); ++from) {
      const unsigned before = got;
      inside_call = 1;
      ep.get<on_get>(from, where[from], am::bytes_out(into.data(), size), 5);
      inside_call = 0;
      ep.wait([&] { return got == before + 1; });
    }
  }
  ep.job_fence();
  EXPECT_EQ(wrong_bytes, std::size_t{0});
  EXPECT_EQ(ran_inside, 0U);
}

CASE("gets of every size, from a segment and from other memory") {
  am::segment mine(job.ep(), largest);
  fill(mine.bytes(), job.rank(), 5);
  get_every_size(job, addresses(job, "bulk.get.segment", mine.address()));
  buffer other(largest);
  fill(other, job.rank(), 5);
  get_every_size(job, addresses(job, "bulk.get.heap", other.data()));
}

// ---- gets and stores at once ----

thread_local unsigned crossing_stored = 0;
thread_local unsigned crossing_got = 0;
void on_crossing_store(am::request_token t, void* where, std::size_t bytes, am::word number) {
  wrong_bytes += count_wrong({static_cast<std::byte*>(where), bytes}, t.source(), number);
  ++crossing_stored;
}
void on_crossing_get(am::reply_token t, void* where, std::size_t bytes) {
  wrong_bytes += count_wrong({static_cast<std::byte*>(where), bytes}, t.source(), 99);
  ++crossing_got;
}

CASE("gets and stores between all ranks cross") {
  auto& ep = job.ep();
  constexpr std::size_t piece = 40000;
  const std::uint32_t rounds = 3;
  // A target for each source, and a source of gets.
  const am::segment all = ep.all_segments((job.ranks() + 1) * piece);
  fill(all.bytes().first(piece), job.rank(), 99);
  ep.job_fence();
  std::vector<buffer> into(job.ranks(), buffer(piece));
  buffer source(piece);
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    fill(source, job.rank(), round);
    for (am::rank_id i = 0; i < job.ranks(); ++i) {
      const am::rank_id peer = (job.rank() + i) % job.ranks();
      auto* theirs = static_cast<std::byte*>(all.address_at(peer));
      ep.get<on_crossing_get>(peer, theirs, into[peer]);
      ep.store<on_crossing_store>(peer, theirs + (job.rank() + 1) * piece, source, round);
    }
    ep.wait([&] {
      return crossing_got == round * job.ranks() && crossing_stored == round * job.ranks();
    });
    ep.job_fence();
  }
  EXPECT_EQ(wrong_bytes, std::size_t{0});
}

// ---- atomic ----

thread_local unsigned atomics_done = 0;
thread_local am::word before_sum = 0;
thread_local am::word last_before = 0;
void on_atomic(am::reply_token, am::word before, am::word one) {
  atomics_done += static_cast<unsigned>(one);
  before_sum += before;
  last_before = before;
}

void count_together(am_test::session& job, void* word_of_0) {
  auto& ep = job.ep();
  auto* const counter = static_cast<am::word*>(word_of_0);
  const am::word each = job.per_pair(4000);
  const unsigned start = atomics_done;
  before_sum = 0;
  for (am::word i = 0; i < each; ++i) ep.fetch_add<on_atomic>(0, counter, 1, 1);
  ep.wait([&] { return atomics_done == start + each; });
  const am::word sum = before_sum;
  ep.job_put("bulk.before", std::as_bytes(std::span(&sum, 1)));
  ep.job_fence();
  am::word all = 0;
  for (am::rank_id rank = 0; rank < job.ranks(); ++rank) {
    am::word part = 0;
    std::memcpy(&part, ep.job_get(rank, "bulk.before").data(), sizeof part);
    all += part;
  }
  // Each value from 0 up was seen once.
  const am::word total = each * job.ranks();
  EXPECT_EQ(all, total * (total - 1) / 2);
  if (job.rank() == 0) EXPECT_EQ(*counter, total);
  ep.job_fence();
}

CASE("atomic additions of all ranks to one word: every value occurs once") {
  am::segment mine(job.ep(), 64);
  count_together(job, addresses(job, "bulk.atomic.segment", mine.address())[0]);
  auto other = std::make_unique<am::word>(0);
  count_together(job, addresses(job, "bulk.atomic.heap", other.get())[0]);
}

CASE("exchange and compare-and-swap return the previous value") {
  auto& ep = job.ep();
  const am::segment all = ep.all_segments(4096);
  auto* const theirs = static_cast<am::word*>(all.address_at(job.next()));
  auto* const mine = static_cast<am::word*>(all.address());
  const auto expect_before = [&](am::word before) {
    const unsigned start = atomics_done;
    ep.wait([&] { return atomics_done == start + 1; });
    EXPECT_EQ(last_before, before);
  };
  ep.exchange<on_atomic>(job.next(), theirs, 10, 1);
  expect_before(0);
  ep.compare_swap<on_atomic>(job.next(), theirs, 11, 12, 1);
  expect_before(10);
  ep.compare_swap<on_atomic>(job.next(), theirs, 10, 12, 1);
  expect_before(10);
  ep.job_fence();
  EXPECT_EQ(*mine, am::word{12});
  EXPECT_EQ(am_test::thrown_by([&] {
              ep.fetch_add<on_atomic>(
                  job.next(),
                  reinterpret_cast<am::word*>(reinterpret_cast<std::uintptr_t>(theirs) + 1), 1, 1);
            }),
            am::status(AM_ARGUMENT_ADDRESS));
  ep.job_fence();
}

// ---- segments are made and freed ----

CASE("a segment at the address of a freed one is found") {
  auto& ep = job.ep();
  for (unsigned round = 1; round <= 5; ++round) {
    const am::segment all = ep.all_segments(round * 5000);
    const std::uint64_t before = stored;
    small_before = static_cast<unsigned>(stored) + 1;
    expected_place = all.address();
    buffer source(round * 5000);
    fill(source, job.rank(), round);
    EXPECT(std::ranges::all_of(all.bytes(), [](std::byte b) { return b == std::byte{0}; }));
    ep.job_fence();
    ep.store<on_store>(job.next(), all.address_at(job.next()), source, round);
    ep.wait([&] { return stored == before + 1; });
    ep.job_fence();
  }
  EXPECT_EQ(wrong_bytes, std::size_t{0});
  EXPECT_EQ(wrong_places, 0U);
}

// ---- errors ----

thread_local unsigned returned_count = 0;
thread_local am_status returned_reason = AM_OK;
void on_undeliverable(am::reply_token, const am::returned& message) {
  ++returned_count;
  returned_reason = message.reason;
}

// As the call's status, or as an undeliverable message.
template <class Call>
void expect_bad_address(am_test::session& job, Call&& call) {
  const unsigned before = returned_count;
  am::status status = am_test::thrown_by(call);
  if (status.ok()) {
    job.ep().wait([&] { return returned_count == before + 1; });
    status = am::status(returned_reason);
  }
  EXPECT_EQ(status, am::status(AM_ARGUMENT_ADDRESS));
}

CASE("an unmapped address is argument(address), and all ranks continue") {
  // libam lets the kernel check the address; valgrind takes the check for a use.
  if (std::getenv("LIBAM_TEST_VALGRIND") != nullptr) return;
  auto& ep = job.ep();
  ep.on_undeliverable<on_undeliverable>();
  auto* const nothing_there = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 20);
  buffer data(40000);
  const std::uint64_t before = stored;
  ep.job_fence();
  for (const std::size_t size : {std::size_t{8}, data.size()}) {
    const am::bytes_out bytes(data.data(), size);
    expect_bad_address(job, [&] { ep.store<on_store>(job.next(), nothing_there, bytes, 1); });
    expect_bad_address(job, [&] { ep.get<on_get>(job.next(), nothing_there, bytes, 1); });
  }
  expect_bad_address(job, [&] {
    ep.fetch_add<on_atomic>(job.next(), reinterpret_cast<am::word*>(nothing_there), 1, 1);
  });
  ep.job_fence();
  EXPECT_EQ(stored, before);
  am_ep_on_undeliverable(ep.raw(), nullptr, nullptr);
}

CASE("bulk calls refuse invalid arguments") {
  auto& ep = job.ep();
  am::word word = 0;
  buffer data(ep.max_medium() + 1);
  const auto refused = [&](am_status status, auto&& call) {
    EXPECT_EQ(am_test::thrown_by(call), am::status(status));
  };
  refused(AM_ARGUMENT_RANK, [&] { ep.store<on_store>(job.ranks(), &word, data, 1); });
  refused(AM_ARGUMENT_ADDRESS, [&] { ep.store<on_store>(job.next(), nullptr, data, 1); });
  refused(AM_ARGUMENT_ADDRESS, [&] {
    ep.get<on_get>(job.next(), reinterpret_cast<void*>(~std::uintptr_t{0} - 5), data, 1);
  });
  EXPECT_EQ(ep.try_store<on_store>(job.next(), data.data(), data, 1), am::status(AM_ARGUMENT_SIZE));
  refused(AM_ARGUMENT_SIZE, [&] { am::segment(ep, 0); });
  refused(AM_ARGUMENT_SIZE, [&] { (void)ep.all_segments(0); });
}

}  // namespace
