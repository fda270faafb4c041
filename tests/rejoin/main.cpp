// A process that joins and closes again and again: after an endpoint has left, only its answer
// usage(left) stays in memory. The test counts what malloc has handed out and not got back, which
// is the same in every run, and descriptors, of which none may stay.
//   test-rejoin           alone, or under am-run
//   test-rejoin keep      keeps 4 KiB in each round, to show that it would be noticed
#include "../support/watchdog.hpp"

#include <am/am.hpp>

#include <malloc.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <vector>

namespace {

// What an endpoint may leave in memory, with its entry in the list of endpoints that have left.
constexpr std::size_t most_kept = 2560;
// The first rounds load modules and fill caches, including malloc's.
constexpr unsigned rounds_before = 30;
constexpr unsigned rounds_counted = 200;

struct state {
  unsigned answers = 0;
  unsigned served = 0;
};

void on_reply(am::reply_token t) { ++t.context<state>()->answers; }
void on_request(am::request_token t, am::word) {
  ++t.context<state>()->served;
  t.reply<on_reply>();
}
void on_medium(am::request_token t, am::bytes_in) { ++t.context<state>()->served; }
void on_store(am::request_token t, void*, std::size_t) { ++t.context<state>()->served; }
void on_get(am::reply_token t, void*, std::size_t) { ++t.context<state>()->answers; }
void on_atomic(am::reply_token t, am::word) { ++t.context<state>()->answers; }

// One call of every kind, so that an endpoint allocates all that it ever does.
void use_every_call(am::endpoint& ep, state& seen) {
  const am::rank_id to = (ep.rank() + 1) % ep.ranks();
  std::vector<std::byte> data(1000);
  const am::segment all = ep.all_segments(4096);
  void* const there = all.address_at(to);
  ep.request<on_request>(to, 1);
  ep.request<on_medium>(to, data);
  ep.store<on_store>(to, there, data);
  ep.get<on_get>(to, there, data);
  ep.fetch_add<on_atomic>(to, static_cast<am::word*>(there), 1);
  bool posted = false;
  if (!ep.post([&] { posted = true; })) std::abort();
  ep.wait([&] { return posted && seen.answers == 3 && seen.served == 3; });
  ep.job_fence();
}

int failures = 0;
void expect(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "not so: %s\n", what);
  failures = 1;
}

void close_now(void* ep) { expect(am_ep_close(static_cast<am_ep*>(ep)) == AM_OK, "close is ok"); }
int close_and_return_zero(void* ep) { return close_now(ep), 0; }
int return_zero(void*) { return 0; }
const am_handler* entry_of_request() { return &am::detail::entry_of<on_request>::entry; }

// Leaves by a close, or by a close inside another call, which then returns usage(left).
void leave(am_ep* ep, unsigned variant) {
  if (variant == 5) {  // a request that has to wait for a credit
    while (am_ep_try_request(ep, am_ep_rank(ep), entry_of_request(), 0, 0, 0, 0) == AM_OK) {
    }
  }
  if (variant != 0 && variant != 4) expect(am_ep_post(ep, close_now, ep) == AM_OK, "post is ok");
  switch (variant) {
    case 0: return close_now(ep);
    case 1: return expect(am_ep_poll(ep, 0, nullptr) == AM_OK, "poll around a close");
    case 2:
      return expect(am_ep_wait(ep, return_zero, nullptr) == AM_USAGE_LEFT, "wait around a close");
    case 3: return expect(am_ep_close(ep) == AM_USAGE_LEFT, "close around a close");
    case 5:
      return expect(
          am_ep_request(ep, am_ep_rank(ep), entry_of_request(), 0, 0, 0, 0) == AM_USAGE_LEFT,
          "a request around a close");
    case 6:
      return expect(am_ep_wait_any(ep, 0, INT64_MAX, nullptr) == AM_USAGE_LEFT,
                    "wait_any around a close");
    default:
      return expect(am_ep_wait(ep, close_and_return_zero, ep) == AM_USAGE_LEFT,
                    "a wait that closes");
  }
}

am_ep* join_and_close(unsigned round) {
  am_ep* raw = nullptr;
  am::detail::check(am_join(nullptr, nullptr, &raw));
  am::endpoint ep(raw);
  state seen;
  ep.set_context(&seen);
  use_every_call(ep, seen);
  leave(raw, round % 7);
  return raw;
}

std::size_t bytes_given_out() {
  const struct mallinfo2 now = ::mallinfo2();
  return now.uordblks + now.hblkhd;
}

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

void expect_left(am_ep* ep) {
  am_stats stats{};
  expect(am_ep_poll(ep, 0, nullptr) == AM_USAGE_LEFT, "poll is usage(left)");
  expect(am_ep_request(ep, 0, nullptr, 0, 0, 0, 0) == AM_USAGE_LEFT, "request is usage(left)");
  expect(am_token_reply({ep, 0}, nullptr, 0, 0, 0, 0) == AM_USAGE_LEFT, "reply is usage(left)");
  expect(am_ep_post(
             ep, [](void*) {}, nullptr) == AM_USAGE_LEFT,
         "post is usage(left)");
  expect(am_ep_stats(ep, &stats, sizeof stats) == AM_USAGE_LEFT, "stats is usage(left)");
  expect(am_ep_close(ep) == AM_USAGE_LEFT, "a second close is usage(left)");
  expect(am_ep_fd(ep) == -1 && am_ep_deaths(ep) == 0, "what has no status answers");
}

}  // namespace

int main(int argc, char** argv) {
  am_test::feed_watchdog(100, "joining and closing again and again");
  const bool keeps = argc > 1 && argv[1] == std::string_view("keep");
  am_ep* const first = join_and_close(0);
  for (unsigned round = 1; round < rounds_before; ++round) join_and_close(round);
  const std::size_t bytes = bytes_given_out();
  const std::ptrdiff_t descriptors = open_descriptors();
  for (unsigned round = 0; round < rounds_counted; ++round) {
    join_and_close(round);
    if (keeps && std::malloc(4096) == nullptr) std::abort();
  }
  const auto kept = static_cast<std::ptrdiff_t>(bytes_given_out() - bytes) /
                    static_cast<std::ptrdiff_t>(rounds_counted);
  std::printf("each join and close keeps %td bytes\n", kept);
  expect(kept <= static_cast<std::ptrdiff_t>(most_kept), "each keeps at most 2560 bytes");
  expect(open_descriptors() == descriptors, "none keeps a descriptor");
  expect_left(first);
  return failures;
}
