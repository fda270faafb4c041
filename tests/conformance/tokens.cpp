// The right to reply: once, in the token's own handler only, never later.
#include "../support/suite.hpp"

#include <array>
#include <optional>

namespace {

// ---- one reply ----

thread_local unsigned first_answers = 0;
thread_local unsigned second_answers = 0;
thread_local unsigned asked = 0;
thread_local am_status second_status = AM_OK;

void on_reply(am::reply_token, bool first) { ++(first ? first_answers : second_answers); }
void reply_twice(am::request_token t) {
  t.reply<on_reply>(true);
  try {
    t.reply<on_reply>(false);
  } catch (const am::error& e) {
    second_status = e.status().code();
  }
  ++asked;
}

CASE("a second reply is usage(replied) and is not sent") {
  auto& ep = job.ep();
  for (unsigned i = 0; i < 100; ++i) ep.request<reply_twice>(job.next());
  ep.wait([] { return first_answers == 100 && asked == 100; });
  ep.job_fence();
  EXPECT_EQ(second_status, AM_USAGE_REPLIED);
  EXPECT_EQ(first_answers, 100U);
  EXPECT_EQ(second_answers, 0U);
}

// ---- a reply handler cannot reply, whatever handler pointer is used ----

thread_local am_status reply_to_reply = AM_OK;
thread_local unsigned reply_attempts = 0;
const am_handler* answer_entry() { return &am::detail::entry_of<on_reply>::entry; }

void reply_to_reply_handler(am::reply_token t) {
  reply_to_reply = am_token_reply(t.raw(), answer_entry(), 0, 0, 0, 0);
  ++reply_attempts;
}
void request_reply(am::request_token t) { t.reply<reply_to_reply_handler>(); }

CASE("a reply to a reply through the C interface is refused") {
  job.ep().request<request_reply>(job.next());
  job.ep().wait([] { return reply_attempts > 0; });
  job.ep().job_fence();
  EXPECT_EQ(am_status_reason(reply_to_reply), AM_REASON_USAGE);
  EXPECT_EQ(second_answers, 0U);
}

// ---- stale tokens ----

thread_local am_token kept{};
thread_local unsigned kept_count = 0;
thread_local am_status used_stale = AM_OK;

void keep(am::request_token t) {
  kept = t.raw();
  ++kept_count;
}
void use_kept(am::request_token) {
  used_stale = am_token_reply(kept, answer_entry(), 0, 0, 0, 0);
  ++kept_count;
}

CASE("a token kept beyond its handler is refused, outside and inside the next handler") {
  auto& ep = job.ep();
  ep.request<keep>(job.next());
  ep.wait([] { return kept_count == 1; });
  EXPECT_EQ(am_status_reason(am_token_reply(kept, answer_entry(), 0, 0, 0, 0)), AM_REASON_USAGE);
  ep.job_fence();
  ep.request<use_kept>(job.next());
  ep.wait([] { return kept_count == 2; });
  EXPECT_EQ(am_status_reason(used_stale), AM_REASON_USAGE);
  ep.job_fence();
  EXPECT_EQ(second_answers, 0U);
}

thread_local am_status without = AM_OK;
thread_local unsigned refused_replies = 0;
void on_refused_reply(am::reply_token) { ++refused_replies; }
void reply_without_handler(am::request_token t) {
  without = am_token_reply(t.raw(), nullptr, 0, 0, 0, 0);
  t.reply<on_refused_reply>();
}

CASE("a reply without a handler is argument(handler), and the right to reply stays") {
  job.ep().request<reply_without_handler>(job.next());
  job.ep().wait([] { return refused_replies == 1; });
  job.ep().job_fence();
  EXPECT_EQ(without, AM_ARGUMENT_HANDLER);
}

// ---- what a token gives access to ----

struct test_context {
  int here;
};
thread_local unsigned sources_right = 0;
thread_local unsigned contexts_right = 0;
thread_local am_ep* own = nullptr;

void check_reply_token(am::reply_token t, am::rank_id from) {
  sources_right += t.source() == from;
  contexts_right += t.context<test_context>()->here == 42 && t.endpoint() == own;
}
void check_request_token(am::request_token t, am::rank_id from) {
  sources_right += t.source() == from;
  contexts_right += t.context<test_context>()->here == 42 && t.endpoint() == own;
  t.reply<check_reply_token>(am_ep_rank(t.endpoint()));
}

CASE("tokens give source, endpoint and context") {
  auto& ep = job.ep();
  test_context here{42};
  ep.set_context(&here);
  own = ep.raw();
  ep.job_fence();  // every rank has set its context
  for (am::rank_id to = 0; to < job.ranks(); ++to) ep.request<check_request_token>(to, job.rank());
  ep.wait([&] { return sources_right == 2 * job.ranks(); });
  EXPECT_EQ(contexts_right, 2 * job.ranks());
  ep.job_fence();
  ep.set_context(nullptr);
}

// ---- many in flight, some answered and some silent ----

thread_local std::array<unsigned, 2> mixed{};
void on_mixed_reply(am::reply_token, am::word sum) { mixed[0] += static_cast<unsigned>(sum); }
void reply_sometimes(am::request_token t, am::word i) {
  ++mixed[1];
  if (i % 3 == 0) t.reply<on_mixed_reply>(1);
}

CASE("answered and silent requests mixed: credits return either way") {
  auto& ep = job.ep();
  const std::uint32_t count = job.per_pair(60000) / 3 * 3;
  for (am::word i = 0; i < count; ++i)
    for (am::rank_id to = 0; to < job.ranks(); ++to) ep.request<reply_sometimes>(to, i);
  ep.wait([&] { return mixed[0] == count / 3 * job.ranks() && mixed[1] == count * job.ranks(); });
  ep.job_fence();
  EXPECT_EQ(mixed[0], count / 3 * job.ranks());
  EXPECT_EQ(mixed[1], count * job.ranks());
}

}  // namespace
