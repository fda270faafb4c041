// The counters of an endpoint: messages, bytes and waits by rank, runs by handler. The other cases
// of the suite have counted, too, so only differences are checked.
#include "../support/suite.hpp"

#include <array>

namespace {

thread_local unsigned silents = 0;
thread_local unsigned answers = 0;
thread_local am_traffic inside_counts{};

void on_reply(am::reply_token) { ++answers; }
void on_silent(am::request_token) { ++silents; }
void on_request(am::request_token t) { t.reply<on_reply>(); }
void on_medium(am::request_token, std::span<const std::byte>) { ++silents; }
void on_store(am::request_token, void*, std::size_t) { ++silents; }
void on_bulk_done(am::reply_token, void*, std::size_t) { ++answers; }
void on_atomic(am::reply_token, am::word) { ++answers; }
void read_counters_inside(am::request_token t) {
  if (am_ep_stats_with(t.endpoint(), t.source(), &inside_counts, sizeof inside_counts) == AM_OK)
    t.reply<on_reply>();
}

struct neighbours {
  explicit neighbours(const am::endpoint& ep)
      : right((ep.rank() + 1) % ep.ranks()), left((ep.rank() + ep.ranks() - 1) % ep.ranks()) {}
  am::rank_id right;
  am::rank_id left;
};

CASE("requests and replies are counted by rank and by handler") {
  auto& ep = job.ep();
  const neighbours at(ep);
  silents = answers = 0;
  ep.job_fence();
  const am_traffic to_before = ep.stats(at.right);
  const am_traffic from_before = ep.stats(at.left);
  const std::uint64_t runs = ep.runs<on_silent>();
  ep.job_fence();
  const std::array<std::byte, 100> data{};
  for (int i = 0; i < 10; ++i) ep.request<on_silent>(at.right);
  for (int i = 0; i < 5; ++i) ep.request<on_request>(at.right);
  for (int i = 0; i < 3; ++i) ep.request<on_medium>(at.right, data);
  ep.wait([] { return silents == 13 && answers == 5; });
  ep.job_fence();
  const am_traffic to = ep.stats(at.right);
  const am_traffic from = ep.stats(at.left);
  EXPECT_EQ(to.requests - to_before.requests, 18U);
  EXPECT_EQ(to.mediums - to_before.mediums, 3U);
  EXPECT_EQ(to.medium_bytes - to_before.medium_bytes, 300U);
  EXPECT_EQ(to.answers - to_before.answers, 5U);
  EXPECT_EQ(from.handled - from_before.handled, 18U);
  EXPECT_EQ(from.handled_bytes - from_before.handled_bytes, 300U);
  EXPECT_EQ(ep.runs<on_silent>() - runs, 10U);
}

CASE("bulk data is counted by call and by byte, in both directions") {
  auto& ep = job.ep();
  const neighbours at(ep);
  silents = answers = 0;
  {
    // Before the segments are made: a rank that returns from that call earlier stores here at once.
    const std::uint64_t runs = ep.runs<on_store>();
    const am::segment all = ep.all_segments(100000);
    const am_traffic before = ep.stats(at.right);
    std::array<std::byte, 50000> data{};
    void* const there = all.address_at(at.right);
    for (int i = 0; i < 2; ++i) ep.store<on_store>(at.right, there, data);
    for (int i = 0; i < 3; ++i) ep.get<on_bulk_done>(at.right, there, std::span(data).first(1000));
    ep.fetch_add<on_atomic>(at.right, static_cast<am::word*>(there), 1);
    ep.wait([] { return silents == 2 && answers == 4; });
    const am_traffic now = ep.stats(at.right);
    EXPECT_EQ(ep.runs<on_store>() - runs, 2U);
    EXPECT_EQ(now.stores - before.stores, 2U);
    EXPECT_EQ(now.store_bytes - before.store_bytes, 100000U);
    EXPECT_EQ(now.gets - before.gets, 3U);
    EXPECT_EQ(now.get_bytes - before.get_bytes, 3000U);
    EXPECT_EQ(now.atomics - before.atomics, 1U);
    ep.job_fence();
  }
}

CASE("the counters of all ranks together are the sum of each") {
  auto& ep = job.ep();
  const am_stats all = ep.stats();
  am_traffic sum{};
  for (am::rank_id rank = 0; rank < job.ranks(); ++rank) {
    const am_traffic one = ep.stats(rank);
    sum.requests += one.requests;
    sum.answers += one.answers;
    sum.handled += one.handled;
    sum.store_bytes += one.store_bytes;
  }
  EXPECT_EQ(all.all.requests, sum.requests);
  EXPECT_EQ(all.all.answers, sum.answers);
  EXPECT_EQ(all.all.handled, sum.handled);
  EXPECT_EQ(all.all.store_bytes, sum.store_bytes);
}

CASE("polls are counted, and those that find nothing") {
  auto& ep = job.ep();
  ep.job_fence();
  const am_stats before = ep.stats();
  const bool found = ep.poll() != 0;
  const am_stats after = ep.stats();
  EXPECT_EQ(after.polls - before.polls, 1U);
  EXPECT_EQ(after.empty_polls - before.empty_polls, found ? 0U : 1U);
  ep.job_fence();
}

CASE("a handler may read the counters") {
  auto& ep = job.ep();
  const neighbours at(ep);
  answers = 0;
  ep.request<read_counters_inside>(at.right);
  ep.wait([] { return answers == 1; });
  ep.job_fence();
}

CASE("a shorter struct is filled in part, a longer one with zeros, and bad ranks are refused") {
  auto& ep = job.ep();
  struct {
    am_stats known;
    std::uint64_t later;
  } longer{{}, 7};
  EXPECT_EQ(am_ep_stats(ep.raw(), &longer.known, sizeof longer), AM_OK);
  EXPECT_EQ(longer.later, 0U);
  am_stats shorter{};
  shorter.empty_polls = 7;
  EXPECT_EQ(am_ep_stats(ep.raw(), &shorter, sizeof shorter.polls), AM_OK);
  EXPECT_EQ(shorter.empty_polls, 7U);
  am_traffic traffic{};
  EXPECT_EQ(am_ep_stats_with(ep.raw(), job.ranks(), &traffic, sizeof traffic), AM_ARGUMENT_RANK);
  EXPECT_EQ(am_ep_stats_with(ep.raw(), 0, nullptr, 0), AM_ARGUMENT_ADDRESS);
  EXPECT_EQ(am_ep_stats(nullptr, &shorter, sizeof shorter), AM_USAGE_LEFT);
  std::uint64_t runs = 0;
  EXPECT_EQ(am_ep_stats_of(ep.raw(), nullptr, &runs), AM_ARGUMENT_HANDLER);
}

}  // namespace
