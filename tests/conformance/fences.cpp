// fence(rank): what is sent after it arrives after all bulk data before it, by any path.
#include "../support/suite.hpp"

#include <cstring>
#include <vector>

namespace {

constexpr std::size_t sizes[] = {200001, 1, 40000, 0, 16385, 100000};
constexpr std::size_t room = 400000;

std::byte pattern(am::word round, std::size_t at) {
  return static_cast<std::byte>(at * 7 + at / 253 + round * 59 + 1);
}

thread_local unsigned parts_stored = 0;
thread_local unsigned wrong_order = 0;
thread_local std::size_t wrong_bytes = 0;
thread_local unsigned answers = 0;
thread_local unsigned sources_free = 0;
thread_local std::byte* in_segment = nullptr;
thread_local std::byte* elsewhere = nullptr;

void on_part(am::request_token, void*, std::size_t, am::word) { ++parts_stored; }
void on_source_free(am::reply_token, void*, std::size_t, am::word) { ++sources_free; }
void on_reply(am::reply_token) { ++answers; }
// All parts must have arrived here, and their handlers have run.
void check_all(am::request_token t, am::word round, am::word parts) {
  wrong_order += parts_stored != parts;
  for (const std::byte* place : {in_segment, elsewhere}) {
    std::size_t at = 0;
    for (const std::size_t size : sizes) at += size;
    while (at-- > 0) wrong_bytes += place[at] != pattern(round, at);
  }
  t.reply<on_reply>();
}

// Every size, one part behind the other, by both calls in turn.
unsigned store_all(am::endpoint& ep, am::rank_id to, void* place, am::bytes_in source,
                   am::word round) {
  auto* where = static_cast<std::byte*>(place);
  unsigned parts = 0;
  for (const std::size_t size : sizes) {
    const am::bytes_in part =
        source.subspan(static_cast<std::size_t>(where - static_cast<std::byte*>(place)), size);
    if (parts++ % 2 == 0)
      ep.store<on_part>(to, where, part, round);
    else
      ep.store_async<on_part, on_source_free>(to, where, part, round, round);
    where += size;
  }
  return parts;
}

CASE("what is sent after a fence arrives after all bulk data that was sent before") {
  auto& ep = job.ep();
  const am::segment all = ep.all_segments(room);
  std::vector<std::byte> other(room);
  in_segment = static_cast<std::byte*>(all.address());
  elsewhere = other.data();
  void* mine = other.data();
  ep.job_put("fence.heap", std::as_bytes(std::span(&mine, 1)));
  ep.job_fence();
  void* theirs = nullptr;
  std::memcpy(&theirs, ep.job_get(job.next(), "fence.heap").data(), sizeof theirs);
  std::vector<std::byte> source(room);
  unsigned parts = 0;
  for (am::word round = 1; round <= 3; ++round) {
    for (std::size_t i = 0; i < room; ++i) source[i] = pattern(round, i);
    parts += store_all(ep, job.next(), all.address_at(job.next()), source, round);
    parts += store_all(ep, job.next(), theirs, source, round);
    ep.fence(job.next());
    ep.request<check_all>(job.next(), round, am::word{parts});
    ep.wait([&] { return answers == round; });
  }
  ep.wait([&] { return sources_free == parts / 2; });
  ep.job_fence();
  EXPECT_EQ(wrong_order, 0U);
  EXPECT_EQ(wrong_bytes, std::size_t{0});
}

thread_local am_status status_inside = AM_OK;
thread_local unsigned inside_calls = 0;
void fence_inside(am::request_token t) {
  status_inside = am_ep_fence(am_token_endpoint(t.raw()), t.source());
  ++inside_calls;
}

CASE("a fence in a handler is usage(in_handler), to a rank outside the job argument(rank)") {
  auto& ep = job.ep();
  ep.request<fence_inside>(job.next());
  ep.wait([] { return inside_calls == 1; });
  EXPECT_EQ(status_inside, am_status{AM_USAGE_IN_HANDLER});
  EXPECT_EQ(am_test::thrown_by([&] { ep.fence(job.ranks()); }), am::status(AM_ARGUMENT_RANK));
  ep.job_fence();
}

}  // namespace
