// long: one recipe for each row of the table
// docs/semantics.md, cell by cell: semantics.py makes rows from its table of calls, and every call
// is made in each place that its row describes: in a request handler, in a reply handler, in an
// undeliverable handler, from another thread, and outside with a message waiting to be handled.
#include "../support/suite.hpp"

#include <am/team.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

enum class cell { yes, no, once, nothing, not_asked, owner, any };

struct row {
  const char* call;
  cell runs_handlers;
  cell in_request;
  cell in_reply;
  cell thread;
};
const std::vector<row> table{
#include "semantics_rows.inc"
};

// ---- how each call is made ----------------------------------------------------------------------

// The arguments of a call: all to this rank itself.
struct call_args {
  am_ep* ep;
  am_token token;
  int (*done)(void*);
};

void target(am::request_token) {}
void target_medium(am::request_token, std::span<const std::byte>) {}
void target_bulk(am::request_token, void*, std::size_t) {}
void bulk_done(am::reply_token, void*, std::size_t) {}
void atomic_done(am::reply_token, am::word) {}
char bulk_place = 0;
am_word bulk_word = 0;
thread_local double reduced = 0;
void in_reply_handler(am::reply_token token);
template <auto Handler>
const am_handler* entry() {
  return &am::detail::entry_of<Handler>::entry;
}
void on_undeliverable(am_token, const am_returned* message, void*);
thread_local am_handler known{[](am_token, const am_word*, const void*, std::size_t) {},
                              "conformance.table.known",
                              "known",
                              nullptr,
                              AM_HANDLER_UNNUMBERED,
                              0};

// Where it can be made without ending the job. `inside`: in a handler and from another thread.
enum class where { everywhere, inside, in_handler, nowhere };

struct recipe {
  const char* call;
  where possible;
  am_status (*make)(const call_args& at);
};

am_status good() { return AM_OK; }

int wanted_thread() {
  const char* const progress = std::getenv("AM_PROGRESS");
  return progress != nullptr && std::string_view(progress) == "thread" ? 1 : 0;
}
am_rank me(const call_args& at) { return am_ep_rank(at.ep); }

const std::array recipes{
    recipe{"am_join", where::nowhere, nullptr},
    recipe{"am_ep_close", where::inside, [](const call_args& at) { return am_ep_close(at.ep); }},
    recipe{"am_ep_abandon", where::inside,
           [](const call_args& at) { return am_ep_abandon(at.ep), good(); }},
    recipe{"am_ep_abort", where::nowhere, nullptr},
    recipe{"am_ep_adopt", where::everywhere,
           [](const call_args& at) { return am_ep_adopt(at.ep); }},
    recipe{"am_ep_update_handlers", where::everywhere,
           [](const call_args& at) { return am_ep_update_handlers(at.ep); }},
    recipe{"am_ep_request", where::everywhere,
           [](const call_args& at) {
             return am_ep_request(at.ep, me(at), entry<target>(), 0, 0, 0, 0);
           }},
    recipe{"am_ep_request_medium", where::everywhere,
           [](const call_args& at) {
             return am_ep_request_medium(at.ep, me(at), entry<target_medium>(), "x", 1, 0, 0, 0, 0);
           }},
    recipe{"am_ep_try_request", where::everywhere,
           [](const call_args& at) {
             return am_ep_try_request(at.ep, me(at), entry<target>(), 0, 0, 0, 0);
           }},
    recipe{"am_ep_later", where::everywhere,
           [](const call_args& at) {
             return am_ep_later(at.ep, me(at), entry<target>(), 0, 0, 0, 0);
           }},
    recipe{"am_ep_try_request_medium", where::everywhere,
           [](const call_args& at) {
             return am_ep_try_request_medium(at.ep, me(at), entry<target_medium>(), "x", 1, 0, 0, 0,
                                             0);
           }},
    recipe{"am_ep_request_with_room", where::everywhere,
           [](const call_args& at) {
             return am_ep_request_with_room(at.ep, me(at), entry<target>(), nullptr, 0, 1, 0, 0, 0,
                                            0);
           }},
    recipe{"am_ep_try_request_with_room", where::everywhere,
           [](const call_args& at) {
             return am_ep_try_request_with_room(at.ep, me(at), entry<target>(), nullptr, 0, 1, 0, 0,
                                                0, 0);
           }},
    recipe{"am_ep_store", where::everywhere,
           [](const call_args& at) {
             return am_ep_store(at.ep, me(at), &bulk_place, "x", 1, entry<target_bulk>(), 0, 0, 0,
                                0);
           }},
    recipe{"am_ep_try_store", where::everywhere,
           [](const call_args& at) {
             return am_ep_try_store(at.ep, me(at), &bulk_place, "x", 1, entry<target_bulk>(), 0, 0,
                                    0, 0);
           }},
    recipe{"am_ep_store_async", where::everywhere,
           [](const call_args& at) {
             return am_ep_store_async(at.ep, me(at), &bulk_place, "x", 1, entry<target_bulk>(), 0,
                                      0, 0, 0, entry<bulk_done>(), 0);
           }},
    recipe{"am_ep_get", where::everywhere,
           [](const call_args& at) {
             return am_ep_get(at.ep, me(at), "x", &bulk_place, 1, entry<bulk_done>(), 0, 0, 0, 0);
           }},
    recipe{"am_ep_atomic", where::everywhere,
           [](const call_args& at) {
             return am_ep_atomic(at.ep, me(at), &bulk_word, AM_FETCH_ADD, 1, 0,
                                 entry<atomic_done>(), 0, 0, 0);
           }},
    recipe{"am_seg_create", where::everywhere,
           [](const call_args& at) {
             am_seg* made = nullptr;
             const am_status status = am_seg_create(at.ep, 1, &made);
             am_seg_destroy(made);
             return status;
           }},
    recipe{"am_seg_create_all", where::everywhere,
           [](const call_args& at) {
             am_seg* made = nullptr;
             const am_status status = am_seg_create_all(at.ep, 1, &made);
             am_seg_destroy(made);
             return status;
           }},
    recipe{"am_seg_destroy", where::nowhere, nullptr},
    recipe{"am_seg_address", where::nowhere, nullptr},
    recipe{"am_seg_address_at", where::nowhere, nullptr},
    recipe{"am_seg_bytes", where::nowhere, nullptr},
    recipe{"am_token_reply", where::in_handler,
           [](const call_args& at) {
             return am_token_reply(at.token, entry<in_reply_handler>(), 0, 0, 0, 0);
           }},
    recipe{"am_token_reply_at", where::nowhere, nullptr},
    recipe{"am_token_reply_medium", where::in_handler,
           [](const call_args& at) {
             return am_token_reply_medium(at.token, entry<in_reply_handler>(), nullptr, 0, 0, 0, 0,
                                          0);
           }},
    recipe{"am_token_reply_store", where::in_handler,
           [](const call_args& at) {
             return am_token_reply_store(at.token, &bulk_place, nullptr, 0,
                                         entry<in_reply_handler>(), 0, 0, 0, 0);
           }},
    recipe{"am_token_reply_room", where::in_handler,
           [](const call_args& at) {
             return am_token_reply_room(at.token) == 0 ? AM_OK : AM_ARGUMENT_SIZE;
           }},
    recipe{"am_token_source", where::in_handler,
           [](const call_args& at) {
             return am_token_source(at.token) < am_ep_ranks(at.ep) ? AM_OK : AM_ARGUMENT_RANK;
           }},
    recipe{"am_token_endpoint", where::in_handler,
           [](const call_args& at) {
             return am_token_endpoint(at.token) == at.ep ? AM_OK : AM_USAGE_LEFT;
           }},
    recipe{"am_token_threw", where::nowhere, nullptr},
    recipe{"am_ep_poll", where::everywhere,
           [](const call_args& at) { return am_ep_poll(at.ep, 0, nullptr); }},
    recipe{"am_ep_wait", where::everywhere,
           [](const call_args& at) { return am_ep_wait(at.ep, at.done, nullptr); }},
    recipe{"am_ep_wait_for", where::everywhere,
           [](const call_args& at) {
             return am_ep_wait_for(at.ep, at.done, nullptr, std::int64_t{60'000'000'000});
           }},
    recipe{"am_ep_wait_any", where::everywhere,
           [](const call_args& at) {
             return am_ep_wait_any(at.ep, 0, std::int64_t{60'000'000'000}, nullptr);
           }},
    recipe{"am_ep_post", where::everywhere,
           [](const call_args& at) {
             return am_ep_post(
                 at.ep, [](void*) {}, nullptr);
           }},
    recipe{"am_ep_fd", where::everywhere,
           [](const call_args& at) { return am_ep_fd(at.ep) >= 0 ? AM_OK : AM_USAGE_LEFT; }},
    recipe{"am_ep_stats", where::everywhere,
           [](const call_args& at) {
             am_stats found;
             return am_ep_stats(at.ep, &found, sizeof found);
           }},
    recipe{"am_ep_stats_with", where::everywhere,
           [](const call_args& at) {
             am_traffic found;
             return am_ep_stats_with(at.ep, me(at), &found, sizeof found);
           }},
    recipe{"am_ep_stats_of", where::everywhere,
           [](const call_args& at) {
             std::uint64_t runs = 0;
             return am_ep_stats_of(at.ep, entry<target>(), &runs);
           }},
    recipe{"am_ep_arm", where::everywhere,
           [](const call_args& at) {
             int armed = 0;
             return am_ep_arm(at.ep, &armed);
           }},
    recipe{"am_ep_flush", where::everywhere,
           [](const call_args& at) { return am_ep_flush(at.ep); }},
    recipe{"am_ep_fence", where::everywhere,
           [](const call_args& at) { return am_ep_fence(at.ep, me(at)); }},
    recipe{"am_job_put", where::everywhere,
           [](const call_args& at) { return am_job_put(at.ep, "semantics", "x", 1); }},
    recipe{"am_job_fence", where::everywhere,
           [](const call_args& at) { return am_job_fence(at.ep); }},
    recipe{"am_job_get", where::everywhere,
           [](const call_args& at) {
             char room = 0;
             std::size_t bytes = 1;
             return am_job_get(at.ep, me(at), "semantics", &room, &bytes);
           }},
    recipe{"am_ep_barrier", where::everywhere,
           [](const call_args& at) { return am_ep_barrier(at.ep); }},
    recipe{"am_ep_broadcast", where::everywhere,
           [](const call_args& at) { return am_ep_broadcast(at.ep, 0, &reduced, sizeof reduced); }},
    recipe{"am_ep_all_reduce", where::everywhere,
           [](const call_args& at) {
             return am_ep_all_reduce(at.ep, &reduced, 1, AM_DOUBLE, AM_SUM);
           }},
    recipe{"am_ep_rank", where::everywhere,
           [](const call_args& at) { return am_ep_rank(at.ep), good(); }},
    recipe{"am_ep_ranks", where::everywhere,
           [](const call_args& at) { return am_ep_ranks(at.ep), good(); }},
    recipe{"am_ep_host_of", where::everywhere,
           [](const call_args& at) { return am_ep_host_of(at.ep, me(at)), good(); }},
    recipe{"am_ep_max_medium", where::everywhere,
           [](const call_args& at) { return am_ep_max_medium(at.ep), good(); }},
    recipe{"am_ep_direct_barrier_ranks", where::everywhere,
           [](const call_args& at) { return am_ep_direct_barrier_ranks(at.ep), good(); }},
    recipe{"am_ep_flat_broadcast_ranks", where::everywhere,
           [](const call_args& at) { return am_ep_flat_broadcast_ranks(at.ep, 8), good(); }},
    recipe{"am_ep_set_context", where::everywhere,
           [](const call_args& at) { return am_ep_set_context(at.ep, nullptr), good(); }},
    recipe{"am_ep_context", where::everywhere,
           [](const call_args& at) { return am_ep_context(at.ep), good(); }},
    recipe{"am_ep_on_undeliverable", where::everywhere,
           [](const call_args& at) {
             return am_ep_on_undeliverable(at.ep, &on_undeliverable, nullptr), good();
           }},
    recipe{
        "am_ep_on_peer_failure", where::everywhere,
        [](const call_args& at) { return am_ep_on_peer_failure(at.ep, nullptr, nullptr), good(); }},
    recipe{"am_ep_deaths", where::everywhere,
           [](const call_args& at) { return am_ep_deaths(at.ep) == 0 ? AM_OK : AM_PEER_DEAD; }},
    recipe{"am_ep_wants_thread", where::everywhere,
           [](const call_args& at) {
             return am_ep_wants_thread(at.ep) == wanted_thread() ? AM_OK : AM_PEER_DEAD;
           }},
    recipe{"am_handler_register", where::everywhere,
           [](const call_args&) {
             am_handler_register(&known);
             am_handler_unregister(&known);
             return good();
           }},
    recipe{"am_handler_unregister", where::everywhere,
           [](const call_args&) { return am_handler_unregister(&known), good(); }},
    recipe{"am_status_text", where::everywhere,
           [](const call_args&) { return am_status_text(AM_OK), good(); }},
    recipe{"am_error_text", where::everywhere,
           [](const call_args&) { return am_error_text(), good(); }},
    recipe{"am_version", where::everywhere, [](const call_args&) { return am_version(), good(); }},
};

const recipe* recipe_of(const char* call) {
  const auto found = std::find_if(recipes.begin(), recipes.end(), [call](const recipe& r) {
    return std::string_view(r.call) == call;
  });
  return found == recipes.end() ? nullptr : &*found;
}

CASE("every row of the table has a test") {
  EXPECT_EQ(table.size(), recipes.size());
  for (const row& r : table)
    if (recipe_of(r.call) == nullptr) am_test::fail(__FILE__, __LINE__, r.call);
}

int always(void*) { return 1; }

void report(const row& of, const std::string& what) {
  am_test::fail("docs/semantics.md", 0, std::string(of.call) + " " + what);
}

// ---- in handlers --------------------------------------------------------------------------------

// Each call that replies is the one that does so in one of the rounds.
void make_all(am_token token, cell row::*column, const char* place_name, std::size_t first = 0) {
  bool answered = false;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const row& r = table[(first + i) % table.size()];
    const recipe* how = recipe_of(r.call);
    if (how == nullptr || how->possible == where::nowhere) continue;
    const call_args here{am_token_endpoint(token), token, always};
    // Of those that work once, the first replies.
    const bool is_answered = r.*column == cell::once && std::exchange(answered, true);
    const am_status expected = r.*column == cell::no ? AM_USAGE_IN_HANDLER
                               : is_answered         ? AM_USAGE_REPLIED
                                                     : AM_OK;
    const am_status said = how->make(here);
    if (said != expected && r.*column != cell::not_asked)
      report(r, std::string("in ") + place_name + " gave " + am_status_text(said));
    if (r.*column == cell::once && how->make(here) != AM_USAGE_REPLIED)
      report(r, std::string("worked twice in ") + place_name);
  }
}

thread_local unsigned in_reply = 0;
thread_local unsigned in_undeliverable = 0;
void in_request_handler(am::request_token token, std::size_t first_row) {
  make_all(token.raw(), &row::in_request, "a request handler", first_row);
}
void in_reply_handler(am::reply_token token) {
  make_all(token.raw(), &row::in_reply, "a reply handler");
  ++in_reply;
}
void on_undeliverable(am_token token, const am_returned*, void*) {
  make_all(token, &row::in_reply, "an undeliverable handler");
  ++in_undeliverable;
}

CASE("in handlers every call behaves as its cells say") {
  auto& ep = job.ep();
  unsigned rounds = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].in_request != cell::once || recipe_of(table[i].call)->possible == where::nowhere)
      continue;
    ep.request<in_request_handler>(job.next(), i);
    ep.wait([&, n = ++rounds] { return in_reply == n; });
  }
  EXPECT_EQ(rounds, 3U);
  ep.job_fence();
  am_ep_on_undeliverable(ep.raw(), nullptr, nullptr);
}

am_handler only_rank_1{[](am_token, const am_word*, const void*, std::size_t) {},
                       "conformance.table.only_rank_1",
                       "only_rank_1",
                       nullptr,
                       AM_HANDLER_UNNUMBERED,
                       0};

CASE("the same in an undeliverable handler", .ranks = 2, .processes = true) {
  auto& ep = job.ep();
  if (job.rank() == 1) am_handler_register(&only_rank_1);
  ep.update_handlers();
  if (job.rank() == 1) {
    am_ep_on_undeliverable(ep.raw(), &on_undeliverable, nullptr);
    EXPECT_EQ(am_ep_request(ep.raw(), 0, &only_rank_1, 0, 0, 0, 0), AM_OK);
    ep.wait([] { return in_undeliverable == 1; });
    am_ep_on_undeliverable(ep.raw(), nullptr, nullptr);
    am_handler_unregister(&only_rank_1);
  }
  ep.update_handlers();
}

// ---- what runs handlers -------------------------------------------------------------------------

thread_local unsigned waiting_ran = 0;
thread_local unsigned waiting_sent = 0;
void on_waiting(am::request_token) { ++waiting_ran; }
int all_ran(void*) { return waiting_ran == waiting_sent; }

// A call that waits for other ranks may find that they are there already, and then runs nothing.
bool always_runs(const row& r) {
  constexpr std::string_view others[] = {
      "am_job_fence", "am_ep_update_handlers", "am_seg_create_all", "am_ep_flush",
      "am_ep_fence",  "am_ep_barrier",         "am_ep_broadcast",   "am_ep_all_reduce"};
  return std::ranges::find(others, r.call) == std::end(others);
}

void send_one_to_each(am_test::session& job) {
  while (job.ep().poll() > 0) {
  }
  EXPECT(job.ep().try_request<on_waiting>(job.rank()).ok());
  ++waiting_sent;
}

void check_ran(const row& r) {
  const bool ran = all_ran(nullptr) != 0;
  if (r.runs_handlers == cell::no && ran) report(r, "ran a handler");
  if (r.runs_handlers == cell::yes && !ran && always_runs(r)) report(r, "ran no handler");
}

CASE("only the calls documented to run handlers do so") {
  for (const row& r : table) {
    const recipe* how = recipe_of(r.call);
    if (how == nullptr || how->possible != where::everywhere) continue;
    send_one_to_each(job);
    const am_status said =
        how->make({job.ep().raw(), {}, r.runs_handlers == cell::yes ? all_ran : always});
    if (am_status_reason(said) == AM_REASON_USAGE) report(r, am_status_text(said));
    check_ran(r);
    job.ep().wait([] { return all_ran(nullptr) != 0; });
  }
  am_ep_on_undeliverable(job.ep().raw(), nullptr, nullptr);
  send_one_to_each(job);
  job.leave();
  check_ran(*std::find_if(table.begin(), table.end(),
                          [](const row& r) { return std::string_view(r.call) == "am_ep_close"; }));
  job.join();
}

// ---- threads ------------------------------------------------------------------------------------

CASE("from another thread every call behaves as its cell says", .processes = true) {
  auto& ep = job.ep();
  ep.job_put("semantics", {});
  ep.job_fence();
  for (const row& r : table) {
    const recipe* how = recipe_of(r.call);
    if (how == nullptr || how->possible > where::inside) continue;
    am_status said = AM_OK;
    std::thread([&] { said = how->make({ep.raw(), {}, always}); }).join();
    const bool refused = r.thread == cell::owner && r.in_request != cell::nothing;
    if (said != (refused ? AM_USAGE_OTHER_THREAD : AM_OK))
      report(r, std::string("from another thread gave ") + am_status_text(said));
    ep.adopt();
  }
  am_ep_on_undeliverable(ep.raw(), nullptr, nullptr);
  ep.job_fence();
}

}  // namespace
