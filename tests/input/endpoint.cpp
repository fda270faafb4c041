// Joining, leaving, progress, counters.
#include "table.hpp"

#include <am/team.h>

#include <cstdint>
#include <limits>

namespace am_test {

namespace {

int always(void*) { return 1; }
int never(void*) { return 0; }

// Every call that returns a status for a null endpoint.
void add_null_endpoints(table& rows) {
  const std::pair<const char*, std::function<am_status(am_ep*)>> calls[] = {
      {"am_ep_close", am_ep_close},
      {"am_ep_adopt", am_ep_adopt},
      {"am_ep_update_handlers", am_ep_update_handlers},
      {"am_ep_poll", [](am_ep* ep) { return am_ep_poll(ep, 0, nullptr); }},
      {"am_ep_wait", [](am_ep* ep) { return am_ep_wait(ep, always, nullptr); }},
      {"am_ep_wait_for", [](am_ep* ep) { return am_ep_wait_for(ep, always, nullptr, 0); }},
      {"am_ep_wait_any", [](am_ep* ep) { return am_ep_wait_any(ep, 0, 0, nullptr); }},
      {"am_ep_post",
       [](am_ep* ep) {
         return am_ep_post(
             ep, [](void*) {}, nullptr);
       }},
      {"am_ep_arm", [](am_ep* ep) { return am_ep_arm(ep, nullptr); }},
      {"am_ep_flush", am_ep_flush},
      {"am_ep_fence", [](am_ep* ep) { return am_ep_fence(ep, 0); }},
      {"am_ep_stats", [](am_ep* ep) { return am_ep_stats(ep, nullptr, 0); }},
      {"am_ep_stats_with", [](am_ep* ep) { return am_ep_stats_with(ep, 0, nullptr, 0); }},
      {"am_ep_stats_of", [](am_ep* ep) { return am_ep_stats_of(ep, nullptr, nullptr); }},
      {"am_job_put", [](am_ep* ep) { return am_job_put(ep, "key", "x", 1); }},
      {"am_job_fence", am_job_fence},
      {"am_job_get", [](am_ep* ep) { return am_job_get(ep, 0, "key", nullptr, nullptr); }},
      {"am_seg_create", [](am_ep* ep) { return am_seg_create(ep, 1, nullptr); }},
      {"am_seg_create_all", [](am_ep* ep) { return am_seg_create_all(ep, 1, nullptr); }},
      {"am_ep_barrier", am_ep_barrier},
      {"am_ep_broadcast", [](am_ep* ep) { return am_ep_broadcast(ep, 0, nullptr, 1); }},
      {"am_ep_all_reduce",
       [](am_ep* ep) { return am_ep_all_reduce(ep, nullptr, 1, AM_DOUBLE, AM_SUM); }},
  };
  for (const auto& [name, call] : calls)
    rows.push_back({name, "null endpoint", AM_USAGE_LEFT, no_endpoint,
                    [call = call](const place&) { return call(nullptr); }});
}

// Calls without a status: they return a neutral value, or do nothing.
void add_silent_ones(table& rows) {
  const std::pair<const char*, std::function<bool()>> calls[] = {
      {"am_ep_rank", [] { return am_ep_rank(nullptr) == 0; }},
      {"am_ep_ranks", [] { return am_ep_ranks(nullptr) == 0; }},
      {"am_ep_host_of", [] { return am_ep_host_of(nullptr, 3) == 3; }},
      {"am_ep_max_medium", [] { return am_ep_max_medium(nullptr) == 0; }},
      {"am_ep_direct_barrier_ranks", [] { return am_ep_direct_barrier_ranks(nullptr) == 0; }},
      {"am_ep_flat_broadcast_ranks", [] { return am_ep_flat_broadcast_ranks(nullptr, 8) == 0; }},
      {"am_ep_context", [] { return am_ep_context(nullptr) == nullptr; }},
      {"am_ep_set_context", [] { return am_ep_set_context(nullptr, nullptr), true; }},
      {"am_ep_fd", [] { return am_ep_fd(nullptr) == -1; }},
      {"am_ep_deaths", [] { return am_ep_deaths(nullptr) == 0; }},
      {"am_ep_wants_thread", [] { return am_ep_wants_thread(nullptr) == 0; }},
      {"am_ep_abandon", [] { return am_ep_abandon(nullptr), true; }},
      {"am_ep_on_undeliverable",
       [] { return am_ep_on_undeliverable(nullptr, nullptr, nullptr), true; }},
      {"am_ep_on_peer_failure",
       [] { return am_ep_on_peer_failure(nullptr, nullptr, nullptr), true; }},
  };
  for (const auto& [name, call] : calls)
    rows.push_back({name, "null endpoint", AM_OK, "",
                    [call = call](const place&) { return as_status(call()); }});
}

void add_waits(table& rows) {
  rows.push_back({"am_ep_wait", "no function", AM_ARGUMENT_ADDRESS,
                  "am_ep_wait: done is null \\(0x0\\): it must be the address of a function",
                  [](const place& at) { return am_ep_wait(at.ep, nullptr, nullptr); }});
  rows.push_back({"am_ep_wait_for", "no function", AM_ARGUMENT_ADDRESS,
                  "am_ep_wait_for: done is null \\(0x0\\): it must be the address of a function",
                  [](const place& at) { return am_ep_wait_for(at.ep, nullptr, nullptr, 0); }});
  // The shortest possible time would be the longest, were it counted back from now.
  for (const std::int64_t time : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
    rows.push_back(
        {"am_ep_wait_for", "a negative time is none", AM_AGAIN_TIME, "",
         [time](const place& at) { return am_ep_wait_for(at.ep, never, nullptr, time); }});
    rows.push_back(
        {"am_ep_wait_any", "a negative time is none", AM_AGAIN_TIME, "", [time](const place& at) {
           // Until no message arrives any more.
           am_status result = AM_OK;
           while (result == AM_OK) result = am_ep_wait_any(at.ep, 0, time, nullptr);
           return result;
         }});
  }
  rows.push_back({"am_ep_wait_for", "the longest time", AM_OK, "", [](const place& at) {
                    return am_ep_wait_for(at.ep, always, nullptr,
                                          std::numeric_limits<std::int64_t>::max());
                  }});
  rows.push_back({"am_ep_post", "no function", AM_ARGUMENT_ADDRESS, "post of a null function",
                  [](const place& at) { return am_ep_post(at.ep, nullptr, nullptr); }});
  rows.push_back({"am_ep_arm", "nowhere to put it", AM_ARGUMENT_ADDRESS,
                  "am_ep_arm: armed is null \\(0x0\\): it must be the address of an int",
                  [](const place& at) { return am_ep_arm(at.ep, nullptr); }});
  for (const am_rank beyond : {am_rank{0}, ~am_rank{0}})
    rows.push_back({"am_ep_fence", "a rank too far", AM_ARGUMENT_RANK,
                    std::string("a fence to rank [0-9]+") + these_ranks, [beyond](const place& at) {
                      return am_ep_fence(at.ep, beyond == 0 ? at.ranks : beyond);
                    }});
}

void add_counters(table& rows) {
  rows.push_back(
      {"am_ep_stats", "nowhere to put it", AM_ARGUMENT_ADDRESS,
       "am_ep_stats: stats is null \\(0x0\\): it must be the address of the structure .*",
       [](const place& at) { return am_ep_stats(at.ep, nullptr, sizeof(am_stats)); }});
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{4097}, SIZE_MAX}) {
    const std::string line =
        "of " + std::to_string(bytes) + " bytes: it may have 1 to 4096; pass .*";
    rows.push_back({"am_ep_stats", "a structure of no such size", AM_ARGUMENT_SIZE,
                    "am_ep_stats: stats " + line, [bytes](const place& at) {
                      am_stats found;
                      return am_ep_stats(at.ep, &found, bytes);
                    }});
    rows.push_back({"am_ep_stats_with", "a structure of no such size", AM_ARGUMENT_SIZE,
                    "am_ep_stats_with: traffic " + line, [bytes](const place& at) {
                      am_traffic found;
                      return am_ep_stats_with(at.ep, at.rank, &found, bytes);
                    }});
  }
  rows.push_back({"am_ep_stats_with", "nowhere to put it", AM_ARGUMENT_ADDRESS,
                  "am_ep_stats_with: traffic is null \\(0x0\\): .*", [](const place& at) {
                    return am_ep_stats_with(at.ep, at.rank, nullptr, sizeof(am_traffic));
                  }});
  rows.push_back({"am_ep_stats_with", "a rank too far", AM_ARGUMENT_RANK,
                  std::string("stats_with rank [0-9]+") + these_ranks, [](const place& at) {
                    am_traffic found;
                    return am_ep_stats_with(at.ep, at.ranks, &found, sizeof found);
                  }});
  rows.push_back({"am_ep_stats_of", "no handler", AM_ARGUMENT_HANDLER,
                  "stats_of without a handler \\(null\\)", [](const place& at) {
                    std::uint64_t runs = 0;
                    return am_ep_stats_of(at.ep, nullptr, &runs);
                  }});
  rows.push_back({"am_ep_stats_of", "an unregistered handler", AM_ARGUMENT_HANDLER,
                  std::string("stats_of") + no_number, [](const place& at) {
                    std::uint64_t runs = 0;
                    return am_ep_stats_of(at.ep, unregistered_handler(), &runs);
                  }});
  rows.push_back(
      {"am_ep_stats_of", "nowhere to put it", AM_ARGUMENT_ADDRESS,
       "am_ep_stats_of: runs is null \\(0x0\\): it must be the address of a uint64_t",
       [](const place& at) { return am_ep_stats_of(at.ep, registered_handler(), nullptr); }});
}

}  // namespace

void add_endpoint_calls(table& rows) {
  add_null_endpoints(rows);
  add_silent_ones(rows);
  rows.push_back({"am_join", "nowhere to put it", AM_ARGUMENT_ADDRESS,
                  "am_join: ep is null \\(0x0\\): it must be the address of an am_ep\\*",
                  [](const place&) { return am_join(nullptr, nullptr, nullptr); }});
  rows.push_back({"am_ep_poll", "nowhere to put how many ran, which is allowed", AM_OK, "",
                  [](const place& at) { return am_ep_poll(at.ep, ~0U, nullptr); }});
  rows.push_back({"am_status_text", "a number that is no status", AM_OK, "", [](const place&) {
                    return as_status(std::string(am_status_text(static_cast<am_status>(0x7ff))) ==
                                     "not a status of libam");
                  }});
  rows.push_back({"am_error_text", "asked twice: it stays", AM_OK, "", [](const place&) {
                    (void)am_ep_close(nullptr);
                    const std::string once = am_error_text();
                    return as_status(!once.empty() && once == am_error_text());
                  }});
  rows.push_back({"am_version", "takes nothing", AM_OK, "", [](const place&) {
                    return as_status(std::string(am_version()) == AM_VERSION_STRING);
                  }});
  add_waits(rows);
  add_counters(rows);
}

}  // namespace am_test
