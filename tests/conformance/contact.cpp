// First contact needs no action of the target, from either side, from both at once, and again after
// leaving and joining anew. Peers that are silent for long are still reached.
#include "../support/suite.hpp"

namespace {

// Linked first: the first case of the suite starts with no pair connected.

thread_local unsigned hellos = 0;
thread_local unsigned welcomes = 0;
void welcome(am::reply_token) { ++welcomes; }
void hello(am::request_token t) {
  ++hellos;
  t.reply<welcome>();
}

void greet_everyone(am_test::session& job, bool downwards) {
  const unsigned all_hellos = hellos / job.ranks() * job.ranks() + job.ranks();
  const unsigned all_welcomes = welcomes + job.ranks();
  for (am::rank_id i = 0; i < job.ranks(); ++i)
    job.ep().request<hello>(downwards ? job.ranks() - 1 - i : i);
  job.ep().wait([&] { return hellos >= all_hellos && welcomes >= all_welcomes; });
}

CASE("first contact from all sides at once") {
  greet_everyone(job, job.rank() % 2 == 0);
  job.ep().job_fence();
  EXPECT_EQ(hellos, job.ranks());
  EXPECT_EQ(welcomes, job.ranks());
}

CASE("joining, first contact and leaving, repeated in one process") {
  job.ep().job_fence();
  for (unsigned round = 0; round < 12; ++round) {
    job.leave();
    job.join();
    greet_everyone(job, (job.rank() + round) % 2 == 0);
  }
  job.ep().job_fence();
  EXPECT_EQ(welcomes, 13 * job.ranks());
  EXPECT_EQ(hellos, 13 * job.ranks());
}

thread_local unsigned pings = 0;
thread_local unsigned pongs = 0;
void pong(am::reply_token) { ++pongs; }
void ping(am::request_token t) {
  ++pings;
  t.reply<pong>();
}

CASE("a rank that never sends first can be reached and replies", .ranks = 2) {
  job.leave();
  job.join();
  if (job.rank() == 0) {
    for (am::rank_id to = 1; to < job.ranks(); ++to) job.ep().request<ping>(to);
    job.ep().wait([&] { return pongs == job.ranks() - 1; });
  }
  job.ep().job_fence();
  EXPECT_EQ(pings, job.rank() == 0 ? 0U : 1U);
  pings = pongs = 0;
  job.ep().job_fence();
}

// ---- long silence ----

void poll_idle(am_test::session& job, unsigned polls) {
  for (unsigned i = 0; i < polls; ++i) job.ep().poll();
}

CASE("peers that were silent for thousands of polls can still send") {
  for (unsigned round = 0; round < 20; ++round) {
    // Some rings go quiet, some are interrupted on the way there.
    poll_idle(job, 900 + round * 150 + job.rank() * 31);
    greet_everyone(job, round % 2 == 0);
    job.ep().job_fence();
  }
}

CASE("one peer keeps sending while all others fall silent and send again") {
  auto& ep = job.ep();
  const am::rank_id partner = job.rank() ^ 1U;
  const bool paired = partner < job.ranks();
  unsigned sent = 0;
  for (unsigned round = 0; round < 5; ++round) {
    for (unsigned i = 0; paired && i < job.per_pair(20000); ++i) {
      ep.request<ping>(partner);
      ++sent;
      ep.wait([&] { return pongs == sent; });
    }
    greet_everyone(job, round % 2 == 0);
    ep.job_fence();
  }
  EXPECT_EQ(pings, sent);
}

}  // namespace
