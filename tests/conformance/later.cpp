// Requests that handlers make: sent when their rank polls, in order, also while it waits.
#include "../support/suite.hpp"

#include <cstddef>

namespace {

// ---- around the ranks, by handlers only ----

thread_local am::word rounds_here = 0;
thread_local unsigned refused = 0;
void forward(am::request_token t, am::word hops) {
  ++rounds_here;
  if (hops == 0) return;
  const auto ranks = am_ep_ranks(t.endpoint());
  refused += !t.later<forward>((am_ep_rank(t.endpoint()) + 1) % ranks, hops - 1).ok();
}

CASE("a message is forwarded around all ranks by handlers only") {
  auto& ep = job.ep();
  const am::word rounds = job.per_rank(200);
  if (job.rank() == 0) ep.request<forward>(job.next(), rounds * job.ranks() - 1);
  ep.wait([&] { return rounds_here == rounds; });
  ep.job_fence();
  EXPECT_EQ(rounds_here, rounds);
  EXPECT_EQ(refused, 0U);
}

// ---- rendezvous: request, late reply, then the transfer ----

thread_local unsigned rendezvous = 0;
thread_local am::word expected = 0;
thread_local std::size_t out_of_order = 0;
void on_transfer(am::request_token, am::word number) { out_of_order += number != expected++; }
void on_ready(am::reply_token t, am::word number) {
  refused += !t.later<on_transfer>(t.source(), number).ok();
}
void on_rendezvous(am::request_token t, am::word number) {
  ++rendezvous;
  t.reply<on_ready>(number);
}

CASE("a reply handler sends in order, while its rank is in a fence") {
  auto& ep = job.ep();
  const am::word count = job.per_rank(500);
  for (am::word i = 0; i < count; ++i) ep.request<on_rendezvous>(job.next(), i);
  ep.job_fence();
  ep.wait([&] { return expected == count; });
  ep.job_fence();
  EXPECT_EQ(rendezvous, count);
  EXPECT_EQ(out_of_order, std::size_t{0});
  EXPECT_EQ(refused, 0U);
}

// ---- while a rank waits for a credit ----

thread_local am::word echoes = 0;
void on_echo(am::request_token) { ++echoes; }
void answer_later(am::request_token t) { refused += !t.later<on_echo>(t.source()).ok(); }

CASE("ranks that flood each other send the requests of their handlers") {
  auto& ep = job.ep();
  const am::word count = job.per_rank(2000);
  for (am::word i = 0; i < count; ++i) ep.request<answer_later>(job.next());
  ep.wait([&] { return echoes == count; });
  ep.job_fence();
  EXPECT_EQ(refused, 0U);
}

// ---- limits ----

thread_local unsigned accepted = 0;
thread_local am::status full;
void on_accepted(am::request_token) { ++accepted; }
void overfill(am::request_token t) {
  unsigned kept = 0;
  while ((full = t.later<on_accepted>(t.source())).ok()) ++kept;
  EXPECT_EQ(kept, 4096U);
}

CASE("too many at a time are again(queue), and those before are sent") {
  auto& ep = job.ep();
  ep.request<overfill>(job.next());
  ep.wait([&] { return accepted == 4096; });
  ep.job_fence();
  EXPECT_EQ(full.code(), AM_AGAIN_QUEUE);
}

CASE("later refuses invalid arguments") {
  am_ep* const ep = job.ep().raw();
  EXPECT_EQ(am_ep_later(ep, job.ranks(), &am::detail::entry_of<on_echo>::entry, 0, 0, 0, 0),
            AM_ARGUMENT_RANK);
  EXPECT_EQ(am_ep_later(ep, 0, nullptr, 0, 0, 0, 0), AM_ARGUMENT_HANDLER);
  EXPECT_EQ(am_ep_later(nullptr, 0, nullptr, 0, 0, 0, 0), AM_USAGE_LEFT);
}

}  // namespace
