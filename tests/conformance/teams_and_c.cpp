// The calls of am/team.h beside the teams of am/team.hpp: they do not mix, they cost the same, and
// they make no barriers of their own. c_team.c checks their values.
#include "../support/suite.hpp"
#include "barrier_cost.hpp"

#include <am/team.h>
#include <am/team.hpp>

#include <string>
#include <thread>
#include <vector>

namespace {

std::uint64_t sum_of_ones(am_test::session& job) {
  std::uint64_t sum = 1;
  EXPECT_EQ(am_ep_all_reduce(job.ep().raw(), &sum, 1, AM_UINT64, AM_SUM), AM_OK);
  return sum;
}

CASE("teams and the calls of team.h alternate, whatever the order in which teams are made") {
  am_ep* ep = job.ep().raw();
  EXPECT_EQ(sum_of_ones(job), job.ranks());
  am::team all(job.ep());
  am::team back = all.split(0, -static_cast<int>(job.rank()));
  const unsigned rounds = job.per_pair(1000);
  for (unsigned round = 0; round < rounds; ++round) {
    const am::rank_id root = round % job.ranks();
    std::uint32_t value = 1000 * round + job.rank();
    EXPECT_EQ(am_ep_broadcast(ep, root, &value, sizeof value), AM_OK);
    EXPECT_EQ(value, 1000 * round + root);
    EXPECT_EQ(back.broadcast(root, round + job.rank()), round + job.ranks() - 1 - root);
    all.reduce(root, 3U, std::plus<>());
  }
  am::team late(job.ep());
  EXPECT_EQ(late.all_reduce(2U, std::plus<>()), 2 * job.ranks());
  EXPECT_EQ(am_ep_barrier(ep), AM_OK);
}

// The small messages of a call, to this and other ranks, summed over all ranks.
template <class Call>
std::uint64_t messages_of(am::team& team, am::endpoint& ep, Call&& call) {
  team.barrier();
  const std::uint64_t before = ep.stats().all.requests;
  call();
  const std::uint64_t sent = ep.stats().all.requests - before;
  return team.all_reduce(sent, std::plus<>());
}

CASE("they take the messages that docs/collectives.md says, the first ones too") {
  job.leave();
  job.join();
  am_ep* ep = job.ep().raw();
  am::team all(job.ep());
  const am::rank_id n = job.ranks();
  std::uint64_t value = 1;
  EXPECT_EQ(messages_of(all, job.ep(), [&] { am_ep_broadcast(ep, 0, &value, sizeof value); }),
            n - 1);
  EXPECT_EQ(messages_of(all, job.ep(), [&] { (void)sum_of_ones(job); }), 2 * (n - 1));
  EXPECT_EQ(messages_of(all, job.ep(), [&] { am_ep_barrier(ep); }),
            n * cost_of_barrier(ep, n).messages);
  EXPECT_EQ(messages_of(all, job.ep(), [&] { am_ep_all_reduce(ep, nullptr, 0, AM_INT64, AM_SUM); }),
            0U);
}

CASE("a barrier holds up a rank that is far ahead of a late one") {
  am_ep* ep = job.ep().raw();
  std::vector<std::byte> values(job.ep().max_medium());
  EXPECT_EQ(am_ep_barrier(ep), AM_OK);
  const std::uint64_t before = job.ep().stats().all.requests;
  constexpr unsigned calls = 200;  // some 3 MiB
  for (unsigned i = 0; i < calls; ++i)
    EXPECT_EQ(am_ep_broadcast(ep, 0, values.data(), values.size()), AM_OK);
  const std::uint64_t sent = job.ep().stats().all.requests - before;
  // The last rank is no rank's parent: its messages belong to barriers.
  const bool sends_barriers_alone = job.ranks() > 1 && job.rank() == job.ranks() - 1;
  if (sends_barriers_alone) EXPECT(sent > 0);
}

CASE("ranks that call different collectives get a status and an error text", .ranks = 2) {
  am::team all(job.ep());
  am_ep* ep = job.ep().raw();
  std::uint64_t values[2] = {1, 2};
  // Rank 0 learns from its child that it has fewer values than the others. Among more than two,
  // those below a rank with that error would wait for it.
  if (job.ranks() > 2) return;
  if (job.rank() == 1) {
    EXPECT_EQ(am_ep_broadcast(ep, 0, values, 8), AM_ARGUMENT_SIZE);
    const std::string line = am_error_text();
    EXPECT(line.starts_with("broadcast: ") && line.find("8 bytes") != std::string::npos &&
           line.find("16 bytes") != std::string::npos);
    EXPECT_EQ(am_ep_barrier(ep), AM_ARGUMENT_SIZE);
  } else {
    EXPECT_EQ(am_ep_broadcast(ep, 0, values, 16), AM_OK);
  }
  // Teams are not affected, and neither are the calls of the next job.
  EXPECT_EQ(all.all_reduce(1U, std::plus<>()), job.ranks());
  job.leave();
  job.join();
  EXPECT_EQ(sum_of_ones(job), job.ranks());
}

CASE("they move with their endpoint to another thread, and leave with it") {
  EXPECT_EQ(sum_of_ones(job), job.ranks());
  std::uint64_t sum = 0;
  std::thread([&] {
    job.ep().adopt();
    sum = sum_of_ones(job);
  }).join();
  EXPECT_EQ(am_ep_barrier(job.ep().raw()), AM_USAGE_OTHER_THREAD);
  job.ep().adopt();
  EXPECT_EQ(sum, job.ranks());
  am_ep* const old = job.ep().raw();
  job.leave();
  EXPECT_EQ(am_ep_barrier(old), AM_USAGE_LEFT);
  job.join();
  EXPECT_EQ(am_ep_barrier(old), AM_USAGE_LEFT);
  EXPECT_EQ(sum_of_ones(job), job.ranks());
}

}  // namespace
