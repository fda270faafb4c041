// What a handler may not do. Every call of the semantics table that a handler must not make is made
// from a request handler, from a reply handler and from an undeliverable handler: each returns
// usage(in_handler) with a text that names the call and the handler, and has no effect.
#include "../support/suite.hpp"

#include <array>
#include <string>
#include <vector>

namespace {

struct attempt {
  const char* call;
  am_status (*make)(am_ep* ep);
};

int always(void*) { return 1; }
thread_local unsigned forbidden_ran = 0;
void forbidden(am::request_token) { ++forbidden_ran; }
void forbidden_medium(am::request_token, std::span<const std::byte>) { ++forbidden_ran; }

const am_handler* small() { return &am::detail::entry_of<forbidden>::entry; }
const am_handler* medium() { return &am::detail::entry_of<forbidden_medium>::entry; }

const std::array attempts{
    attempt{"request", [](am_ep* ep) { return am_ep_request(ep, 0, small(), 0, 0, 0, 0); }},
    attempt{"request_medium",
            [](am_ep* ep) { return am_ep_request_medium(ep, 0, medium(), "x", 1, 0, 0, 0, 0); }},
    attempt{"try_request", [](am_ep* ep) { return am_ep_try_request(ep, 0, small(), 0, 0, 0, 0); }},
    attempt{
        "try_request_medium",
        [](am_ep* ep) { return am_ep_try_request_medium(ep, 0, medium(), "x", 1, 0, 0, 0, 0); }},
    attempt{"poll", [](am_ep* ep) { return am_ep_poll(ep, 1, nullptr); }},
    attempt{"wait", [](am_ep* ep) { return am_ep_wait(ep, always, nullptr); }},
    attempt{"wait_for", [](am_ep* ep) { return am_ep_wait_for(ep, always, nullptr, 1); }},
    attempt{"wait_any", [](am_ep* ep) { return am_ep_wait_any(ep, 0, 0, nullptr); }},
    attempt{"flush", [](am_ep* ep) { return am_ep_flush(ep); }},
    attempt{"fence", [](am_ep* ep) { return am_ep_fence(ep, 0); }},
    attempt{"close", [](am_ep* ep) { return am_ep_close(ep); }},
    attempt{"update_handlers", [](am_ep* ep) { return am_ep_update_handlers(ep); }},
    attempt{"job_fence", [](am_ep* ep) { return am_job_fence(ep); }},
};

struct call_result {
  am_status status = AM_OK;
  std::string line;
};
using call_results = std::array<call_result, attempts.size()>;

void try_everything(am_ep* ep, call_results& out) {
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    out[i].status = attempts[i].make(ep);
    out[i].line = am_error_text();
  }
}

thread_local call_results in_request;
thread_local call_results in_reply;
thread_local unsigned requests_ran = 0;
thread_local unsigned replies_ran = 0;

void rules_reply(am::reply_token t) {
  try_everything(t.endpoint(), in_reply);
  ++replies_ran;
}
void rules_request(am::request_token t) {
  try_everything(t.endpoint(), in_request);
  ++requests_ran;
  t.reply<rules_reply>();
}

}  // namespace

AM_HANDLER(rules_request, "rules.request");
AM_HANDLER(rules_reply, "rules.reply");

namespace {

void check(const call_results& all, const std::string& handler) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].status != AM_USAGE_IN_HANDLER)
      am_test::fail(__FILE__, __LINE__,
                    std::string(attempts[i].call) + " in " + handler + " gave " +
                        am_status_text(all[i].status));
    if (all[i].line.find(attempts[i].call) == std::string::npos ||
        all[i].line.find(handler) == std::string::npos)
      am_test::fail(__FILE__, __LINE__,
                    std::string(attempts[i].call) + " in " + handler +
                        ": the line does not name both: " + all[i].line);
  }
}

CASE("every call that a handler must not make is refused, with both names") {
  auto& ep = job.ep();
  ep.request<rules_request>(job.next());
  ep.wait([] { return requests_ran > 0 && replies_ran > 0; });
  check(in_request, "rules.request");
  check(in_reply, "rules.reply");
  ep.job_fence();
  EXPECT_EQ(forbidden_ran, 0U);
}

// ---- calls that a handler may make ----

thread_local bool allowed_right = false;
void allowed(am::request_token t) {
  const am_ep* ep = t.endpoint();
  allowed_right = am_ep_rank(ep) < am_ep_ranks(ep) && am_ep_max_medium(ep) >= AM_MIN_MAX_MEDIUM &&
                  t.source() < am_ep_ranks(ep);
}

CASE("a host is the lowest of its ranks, and a number that is no rank is its own") {
  const auto& ep = job.ep();
  for (am::rank_id rank = 0; rank < ep.ranks(); ++rank) {
    EXPECT(ep.host_of(rank) <= rank);
    EXPECT_EQ(ep.host_of(ep.host_of(rank)), ep.host_of(rank));
  }
  EXPECT_EQ(ep.host_of(ep.ranks()), ep.ranks());
}

CASE("rank, ranks, max_medium and source may be called anywhere") {
  job.ep().request<allowed>(job.next());
  job.ep().wait([] { return allowed_right; });
}

}  // namespace
