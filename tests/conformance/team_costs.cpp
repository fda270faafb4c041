// The cost of collectives in messages and depth, as in docs/collectives.md; how far a rank may run
// ahead; and that ranks in a collective still answer a late one.
#include "../support/suite.hpp"
#include "barrier_cost.hpp"

#include <am/team.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;

// The cost of a call, at this rank and at all of them.
struct cost {
  std::uint64_t sent;
  std::uint64_t received;
  unsigned depth;
};
struct costs {
  cost mine;
  std::vector<cost> all;
  std::uint64_t total = 0;
  unsigned deepest = 0;
};

template <class Call>
costs cost_of(am::team& team, Call&& call) {
  team.barrier();
  const am::team_counts before = team.counts();
  call();
  const am::team_counts after = team.counts();
  EXPECT_EQ(after.barriers, before.barriers);
  costs found;
  found.mine = {after.sent - before.sent, after.received - before.received, after.depth};
  found.all = team.all_gather(found.mine);
  for (const cost& its : found.all) {
    found.total += its.sent;
    found.deepest = std::max(found.deepest, its.depth);
  }
  return found;
}

// Where the number of ranks is no power of two, some paths may be shorter.
void expect_depth(unsigned found, am::rank_id ranks) {
  if ((ranks & (ranks - 1)) == 0)
    EXPECT_EQ(found, rounds(ranks));
  else
    EXPECT(found > 0 && found <= rounds(ranks));
}

// AM_PROFILE may have chosen that the root sends to each rank itself.
void expect_broadcast_depth(unsigned found, am::endpoint& ep, std::size_t bytes) {
  if (ep.ranks() > 1 && ep.ranks() <= am_ep_flat_broadcast_ranks(ep.raw(), bytes))
    EXPECT_EQ(found, 1U);
  else
    expect_depth(found, ep.ranks());
}

CASE("a barrier takes ceil(log2 n) rounds, one message per rank and round, or a single round") {
  am::team all(job.ep());
  const barrier_cost expected = cost_of_barrier(job.ep().raw(), all.ranks());
  EXPECT_EQ(all.counts().sent, expected.messages);  // making the team takes one
  for (int i = 0; i < 3; ++i) {
    const costs found = cost_of(all, [&] { all.barrier(); });
    for (const cost& its : found.all) {
      EXPECT_EQ(its.sent, expected.messages);
      EXPECT_EQ(its.depth, expected.depth);
    }
  }
}

CASE("broadcast and reduce take n - 1 messages in depth ceil(log2 n) or 1, from every root") {
  am::team all(job.ep());
  const std::vector<std::byte> piece(job.ep().max_medium());
  const auto either = [](std::byte a, std::byte b) { return a | b; };
  for (am::rank_id root = 0; root < all.ranks(); ++root) {
    auto values = piece;
    const costs out = cost_of(all, [&] { all.broadcast(root, values); });
    EXPECT_EQ(out.total, all.ranks() - 1);
    expect_broadcast_depth(out.deepest, job.ep(), values.size());
    EXPECT_EQ(out.all[root].depth, 0U);
    const costs in = cost_of(all, [&] { all.reduce(root, values, either); });
    EXPECT_EQ(in.total, all.ranks() - 1);
    expect_depth(in.all[root].depth, all.ranks());
    EXPECT_EQ(in.deepest, in.all[root].depth);
    for (am::rank_id i = 0; i < all.ranks(); ++i) EXPECT_EQ(in.all[i].sent, i == root ? 0U : 1U);
  }
}

CASE("all_reduce and scan cost what docs/collectives.md says") {
  am::team all(job.ep());
  const am::rank_id n = all.ranks();
  const costs both = cost_of(all, [&] { (void)all.all_reduce(1, std::plus<>()); });
  EXPECT_EQ(both.total, 2 * (n - 1));
  EXPECT(both.deepest <= 2 * rounds(n));
  std::uint64_t expected = 0;
  for (am::rank_id distance = 1; distance < n; distance *= 2) expected += n - distance;
  const costs scanned = cost_of(all, [&] { (void)all.scan(1, std::plus<>()); });
  EXPECT_EQ(scanned.total, expected);
  expect_depth(scanned.deepest, n);
}

CASE("all_gather and all_to_all: each rank sends and receives n - 1 messages; none waits") {
  am::team all(job.ep());
  const am::rank_id n = all.ranks();
  const std::vector<int> out(n);
  std::vector<int> in(n);
  const costs gathered = cost_of(all, [&] { (void)all.all_gather(1); });
  const costs exchanged = cost_of(all, [&] { all.all_to_all(out, in); });
  for (const costs* found : {&gathered, &exchanged}) {
    for (const cost& its : found->all) {
      EXPECT_EQ(its.sent, n - 1);
      EXPECT_EQ(its.depth, n > 1 ? 1U : 0U);
    }
    // What a rank receives may be counted before the call: others may have started earlier.
    EXPECT_EQ(found->total, n * (n - 1));
  }
}

CASE("data larger than a piece takes a message for each piece and edge") {
  am::team all(job.ep());
  std::vector<std::byte> large(5 * job.ep().max_medium() + 1);
  EXPECT_EQ(cost_of(all, [&] { all.broadcast(0, large); }).total, 6 * (all.ranks() - 1));
  std::vector<std::byte> none;
  EXPECT_EQ(cost_of(all, [&] { all.broadcast(0, none); }).total, 0U);
}

CASE("as many messages are received as are sent") {
  am::team all(job.ep());
  std::vector<int> values(10000);
  all.all_reduce(values, std::plus<>());
  all.scan(values, std::plus<>());
  (void)all.all_gather(3);
  job.ep().job_fence();
  const am::team_counts counts = all.counts();
  job.ep().job_fence();
  EXPECT_EQ(all.all_reduce(counts.sent, std::plus<>()),
            all.all_reduce(counts.received, std::plus<>()));
}

// ---- running ahead ------------------------------------------------------------------------------

thread_local unsigned notices = 0;
void on_notice(am::request_token) { ++notices; }

CASE("a rank gets 1000 collectives ahead of all others") {
  constexpr unsigned ahead = 1000;
  auto& ep = job.ep();
  am::team all(ep);
  const unsigned before = notices;
  ep.job_fence();
  if (job.rank() != 0) ep.wait([&] { return notices == before + 1; });
  for (unsigned i = 0; i < ahead; ++i) EXPECT_EQ(all.broadcast(0, job.rank() == 0 ? i : ~0U), i);
  if (job.rank() == 0)
    for (am::rank_id to = 1; to < job.ranks(); ++to) ep.request<on_notice>(to);
  EXPECT_EQ(all.counts().barriers, 0U);
  EXPECT_EQ(all.all_reduce(1U, std::plus<>()), all.ranks());
}

// The others handle rank 0's messages as far as it gets, and only then enter. Each reports so
// before.
CASE("the memory that a rank holds for collectives that it has not entered is bounded",
     .ranks = 2) {
  constexpr std::size_t limit = std::size_t{1} << 20;
  auto& ep = job.ep();
  am::team all(ep);
  const unsigned before = notices;
  const unsigned pieces = static_cast<unsigned>(3 * limit / ep.max_medium());
  ep.job_fence();
  if (job.rank() != 0) {
    (void)ep.wait_for([] { return false; }, 30ms);
    ep.request<on_notice>(0);
  }
  std::vector<std::uint32_t> values(ep.max_medium() / 4);
  for (unsigned i = 0; i < pieces; ++i) {
    if (job.rank() == 0) std::fill(values.begin(), values.end(), i);
    all.broadcast(0, values);
    EXPECT_EQ(std::count(values.begin(), values.end(), i),
              static_cast<std::ptrdiff_t>(values.size()));
  }
  EXPECT(all.counts().barriers > 0);
  EXPECT(all.counts().most_held <= limit);
  if (job.rank() == 0) EXPECT_EQ(notices, before + job.ranks() - 1);
  ep.job_fence();
}

// Here each team is used for less than would cause a barrier, and all together for more.
CASE("using team after team does not evade the bound", .ranks = 2) {
  constexpr std::size_t limit = std::size_t{1} << 20;
  auto& ep = job.ep();
  const unsigned before = notices;
  ep.job_fence();
  if (job.rank() != 0) {
    (void)ep.wait_for([] { return false; }, 10ms);
    ep.request<on_notice>(0);
  }
  std::vector<std::byte> values(ep.max_medium());
  for (int i = 0; i < 5; ++i) {
    am::team all(ep);
    const std::size_t times = std::min<std::size_t>(20, limit / 2 / values.size());
    for (std::size_t j = 0; j < times; ++j) all.broadcast(0, values);
    EXPECT_EQ(all.counts().barriers, 0U);
  }
  if (job.rank() == 0) EXPECT_EQ(notices, before + job.ranks() - 1);
  ep.job_fence();
}

// Here all ranks run ahead, in collectives of every kind.
CASE("the memory that a rank holds stays bounded when all ranks run ahead", .ranks = 2) {
  auto& ep = job.ep();
  am::team all(ep);
  std::vector<std::uint32_t> out(job.ranks() * 1000);
  std::vector<std::uint32_t> in(out.size());
  std::vector<std::uint32_t> values(3 * ep.max_medium() / 4);
  const unsigned repeat = job.per_pair(1000) / 20;
  for (unsigned i = 0; i < repeat; ++i) {
    all.broadcast(i % all.ranks(), values);
    all.reduce((i + 1) % all.ranks(), values, std::plus<>());
    all.scan(values, std::plus<>());
    all.all_to_all(out, in);
  }
  // Twice: the step under way, and messages of later ones.
  EXPECT(all.counts().most_held <= std::size_t{2} << 20);
}

// ---- waiting ------------------------------------------------------------------------------------

thread_local unsigned answers = 0;
void on_reply(am::reply_token) { ++answers; }
void on_request(am::request_token t) { t.reply<on_reply>(); }
thread_local unsigned late_arrivals = 0;
void on_late_arrival(am::request_token t) {
  ++late_arrivals;
  t.reply<on_reply>();
}

CASE("no rank leaves a barrier before the last has entered") {
  auto& ep = job.ep();
  unsigned expected = late_arrivals;
  am::team all(ep);
  for (am::rank_id late = 0; late < job.ranks(); ++late) {
    if (job.rank() == late) {
      const unsigned before = answers;
      for (am::rank_id to = 0; to < job.ranks(); ++to) ep.request<on_late_arrival>(to);
      ep.wait([&] { return answers == before + job.ranks(); });
    }
    all.barrier();
    EXPECT_EQ(late_arrivals, ++expected);
    ep.job_fence();
  }
}

CASE("a late rank gets replies from those that wait for it in a collective") {
  auto& ep = job.ep();
  am::team all(ep);
  std::vector<std::uint32_t> out(job.ranks());
  std::vector<std::uint32_t> in(job.ranks());
  for (am::rank_id late = 0; late < job.ranks(); ++late) {
    for (int call = 0; call < 5; ++call) {
      if (job.rank() == late) {
        const unsigned before = answers;
        for (am::rank_id to = 0; to < job.ranks(); ++to) ep.request<on_request>(to);
        ep.wait([&] { return answers == before + job.ranks(); });
      }
      if (call == 0) all.barrier();
      if (call == 1) (void)all.broadcast(late, 1);
      if (call == 2) (void)all.all_reduce(1, std::plus<>());
      if (call == 3) (void)all.scan(1, std::plus<>());
      if (call == 4) all.all_to_all(out, in);
    }
  }
}

}  // namespace
