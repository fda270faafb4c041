// The small path (request, reply, poll, wait, a medium message, and a store into a segment)
// allocates nothing and makes no system call, once peers are connected and rings have grown. The
// store is larger than the payload room, so it uses the one copy that needs neither. Run it under
// am-run -n 2 with AM_WAIT=spin; with `allocate` or `call` it does one of these, to show that the
// test would notice.
#include "../support/watchdog.hpp"
#include "counted.hpp"

#include <am/am.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

struct state {
  unsigned long replies = 0;
  unsigned long silents = 0;
  unsigned long stores = 0;
  unsigned long rounds = 0;  // of small_path, begun by this rank
};

void on_reply(am::reply_token t) { ++t.context<state>()->replies; }
void on_request(am::request_token t, am::word) { t.reply<on_reply>(); }
void on_silent(am::request_token t, am::word, am::word, am::word, am::word) {
  ++t.context<state>()->silents;
}
void filler(am::request_token) {}
void on_medium(am::request_token t, std::span<const std::byte>) { ++t.context<state>()->silents; }

void on_store(am::request_token t, void*, std::size_t) { ++t.context<state>()->stores; }

constexpr std::size_t store_bytes = 300000;

// All that is counted. Both ranks do the same at the same time.
void small_path(am::endpoint& ep, state& seen, am::rank_id to, am::bytes_in bulk, void* there) {
  const std::array<std::byte, 256> data{};
  const unsigned long lone = 2000;
  const unsigned long flood = 20000;
  const unsigned long replies = seen.replies;
  // Counted from the first round: the other rank may have begun this round before.
  const unsigned long silents = ++seen.rounds * (flood + flood / 100);
  for (unsigned long i = 1; i <= lone; ++i) {
    ep.request<on_request>(to, i);
    ep.wait([&] { return seen.replies == replies + i; });
  }
  for (unsigned long i = 0; i < flood; ++i) {
    ep.request<on_silent>(to, 1, 2, 3, 4);
    if (i % 100 == 0) ep.request<on_medium>(to, data);
    if (i % 7 == 0) ep.poll();
    if (i % 1000 == 0) ep.store<on_store>(to, there, bulk);
    while (!ep.try_request<on_request>(to, i)) ep.poll();
  }
  const unsigned long stores = seen.rounds * (flood / 1000);
  ep.wait([&] {
    return seen.replies == replies + lone + flood && seen.silents == silents &&
           seen.stores == stores;
  });
}

// First contact makes system calls, and so does a ring that grows, when its window is used up. So
// both ranks use up their windows, without polling, until neither window grows any more.
void grow_all_rings(am::endpoint& ep, am::rank_id to) {
  std::uint64_t widest = 0;
  unsigned rounds_without_growth = 0;
  while (rounds_without_growth < 3) {
    std::uint64_t accepted = 0;
    while (accepted < 100000 && ep.try_request<filler>(to)) ++accepted;
    const bool grew = accepted > widest;
    widest = std::max(widest, accepted);
    ep.job_put("small_path.grew", std::as_bytes(std::span(&grew, 1)));
    ep.job_fence();
    const bool they_grew = ep.job_get(to, "small_path.grew").front() != std::byte{0};
    rounds_without_growth = grew || they_grew ? 0 : rounds_without_growth + 1;
    // Everything of this round is handled, including the growth, before the next one.
    while (ep.poll() > 0) {
    }
    ep.job_fence();
  }
}

}  // namespace

int main(int argc, char** argv) {
  am_test::feed_watchdog(60, "the small path");
  am::endpoint ep = am::join(argc, argv);
  state seen;
  ep.set_context(&seen);
  ep.job_fence();
  const am::rank_id to = (ep.rank() + 1) % ep.ranks();
  const std::string_view fault = argc > 1 ? argv[1] : "";

  const am::segment all = ep.all_segments(store_bytes);
  const std::vector<std::byte> bulk(store_bytes);

  grow_all_rings(ep, to);
  small_path(ep, seen, to, bulk, all.address_at(to));
  ep.job_fence();

  const bool catches = am_test::can_catch_system_calls();
  if (!catches && ep.rank() == 0)
    std::fprintf(stderr, "small_path: this kernel cannot catch system calls: not looked at\n");
  ep.job_fence();
  am_test::begin_counting();
  small_path(ep, seen, to, bulk, all.address_at(to));
  if (fault == "allocate" && ep.rank() == 1) std::free(std::malloc(1));
  if (fault == "call" && ep.rank() == 1) (void)::getppid();
  const unsigned long allocations = am_test::end_counting();
  ep.job_fence();
  if (allocations != 0)
    std::fprintf(stderr, "rank %u: the small path allocated %lu times\n", ep.rank(), allocations);
  return allocations == 0 ? 0 : 1;
}
