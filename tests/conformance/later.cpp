// Requests that handlers make: sent where their rank polls, in order, also while it waits.
#include "../support/suite.hpp"

#include <cstddef>

namespace {

// ---- round the ring, by handlers alone ----

thread_local am::word rounds_here = 0;
thread_local unsigned refused = 0;
void pass_on(am::request_token t, am::word hops) {
  ++rounds_here;
  if (hops == 0) return;
  const auto ranks = am_ep_ranks(t.endpoint());
  refused += !t.later<pass_on>((am_ep_rank(t.endpoint()) + 1) % ranks, hops - 1).ok();
}

CASE("a message goes round the ring by handlers alone") {
  auto& ep = job.ep();
  const am::word rounds = job.per_rank(200);
  if (job.rank() == 0) ep.request<pass_on>(job.next(), rounds * job.ranks() - 1);
  ep.wait([&] { return rounds_here == rounds; });
  ep.job_fence();
  EXPECT_EQ(rounds_here, rounds);
  EXPECT_EQ(refused, 0U);
}

// ---- rendezvous: asked, answered later, and only then sent ----

thread_local unsigned asked = 0;
thread_local am::word expected = 0;
thread_local std::size_t out_of_order = 0;
void take(am::request_token, am::word number) { out_of_order += number != expected++; }
void ready(am::reply_token t, am::word number) {
  refused += !t.later<take>(t.source(), number).ok();
}
void ask(am::request_token t, am::word number) {
  ++asked;
  t.reply<ready>(number);
}

CASE("a reply handler sends in order, while its rank is in a fence") {
  auto& ep = job.ep();
  const am::word count = job.per_rank(500);
  for (am::word i = 0; i < count; ++i) ep.request<ask>(job.next(), i);
  ep.job_fence();
  ep.wait([&] { return expected == count; });
  ep.job_fence();
  EXPECT_EQ(asked, count);
  EXPECT_EQ(out_of_order, std::size_t{0});
  EXPECT_EQ(refused, 0U);
}

// ---- a rank that waits for a credit serves them, too ----

thread_local am::word echoes = 0;
void echo(am::request_token) { ++echoes; }
void answer_later(am::request_token t) { refused += !t.later<echo>(t.source()).ok(); }

CASE("ranks that flood each other send what their handlers ask for") {
  auto& ep = job.ep();
  const am::word count = job.per_rank(2000);
  for (am::word i = 0; i < count; ++i) ep.request<answer_later>(job.next());
  ep.wait([&] { return echoes == count; });
  ep.job_fence();
  EXPECT_EQ(refused, 0U);
}

// ---- bounds ----

thread_local unsigned accepted = 0;
thread_local am::status full;
void count_it(am::request_token) { ++accepted; }
void overfill(am::request_token t) {
  unsigned kept = 0;
  while ((full = t.later<count_it>(t.source())).ok()) ++kept;
  EXPECT_EQ(kept, 4096U);
}

CASE("too many at a time are again(queue), and those before are sent") {
  auto& ep = job.ep();
  ep.request<overfill>(job.next());
  ep.wait([&] { return accepted == 4096; });
  ep.job_fence();
  EXPECT_EQ(full.code(), AM_AGAIN_QUEUE);
}

CASE("later refuses what cannot be") {
  am_ep* const ep = job.ep().raw();
  EXPECT_EQ(am_ep_later(ep, job.ranks(), &am::detail::entry_of<echo>::entry, 0, 0, 0, 0),
            AM_ARGUMENT_RANK);
  EXPECT_EQ(am_ep_later(ep, 0, nullptr, 0, 0, 0, 0), AM_ARGUMENT_HANDLER);
  EXPECT_EQ(am_ep_later(nullptr, 0, nullptr, 0, 0, 0, 0), AM_USAGE_LEFT);
}

}  // namespace
