// Falling asleep step by step: whatever a peer does while a rank falls asleep, the rank stays awake
// or is woken.
#include "shm_job.hpp"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>

namespace protocol_shm_sleep {

using namespace am_test;
using namespace std::chrono_literals;

namespace {

constexpr auto for_ever = std::chrono::nanoseconds::max();

bool wakeup_pending(shm_rank& rank) {
  pollfd wakeup{rank.transport->wake_descriptor(), POLLIN, 0};
  return ::poll(&wakeup, 1, 0) == 1;
}

// The number of pending wakeups; clears them.
unsigned take_wakeups(shm_rank& rank) {
  unsigned times = 0;
  char byte = 0;
  while (::recv(rank.transport->wake_descriptor(), &byte, 1, MSG_DONTWAIT) >= 0) ++times;
  return times;
}

// Rank 0 of three has exchanged requests and replies with both others; none is pending.
struct connected_ranks {
  connected_ranks() : job(3, 16, 64) {
    for (am_rank peer = 1; peer < 3; ++peer) {
      REQUIRE(job[peer].send(0, silent, 1));
      REQUIRE(job[0].send(peer, replying, 1));
      job[0].poll(4);
      job[peer].poll(4);
    }
    job[0].poll(4);
    for (am_rank peer = 1; peer < 3; ++peer) job[peer].to(0).refresh_credits();
    job[0].seen.all.clear();
    barriers = 0;
  }
  std::chrono::nanoseconds arm() { return job[0].transport->arm(); }

  shm_job job;
};

// Runs `step` of a peer as if it had read the mark before the mark was set: it sends no signal.
template <class Step>
void without_seeing(std::atomic<std::uint32_t>& mark, Step&& step) {
  const auto value = mark.exchange(0);
  step();
  mark = value;
}

}  // namespace

TEST_CASE_FIXTURE(connected_ranks, "where nothing is pending a rank may sleep without limit") {
  CHECK(arm() == for_ever);
  CHECK(barriers == 1);
  CHECK(!wakeup_pending(job[0]));
}

TEST_CASE_FIXTURE(connected_ranks, "a request, a reply and a returned request wake") {
  for (const std::uint32_t handler : {std::uint32_t{replying}, 700U}) {
    REQUIRE(job[0].send(1, handler, 5));
    REQUIRE(arm() == for_ever);
    REQUIRE(job[1].poll() == 1);
    CHECK(take_wakeups(job[0]) == 1);
    CHECK(job[0].poll() == 1);
  }
  REQUIRE(arm() == for_ever);
  REQUIRE(job[2].send(0, silent, 7));
  CHECK(take_wakeups(job[0]) == 1);
  CHECK(job[0].poll() == 1);
  REQUIRE(arm() == for_ever);
  REQUIRE(job[2].send_medium(0, 8, 100) == AM_OK);
  CHECK(take_wakeups(job[0]) == 1);
  CHECK(job[0].poll() == 1);
}

TEST_CASE_FIXTURE(connected_ranks, "a rank that is awake is not woken") {
  REQUIRE(arm() == for_ever);
  job[0].transport->disarm();
  REQUIRE(job[1].send(0, silent, 7));
  CHECK(!wakeup_pending(job[0]));
  CHECK(job[0].poll() == 1);
}

TEST_CASE_FIXTURE(connected_ranks, "only the first message to a sleeping rank wakes it") {
  REQUIRE(arm() == for_ever);
  REQUIRE(job[1].send(0, silent, 7));
  REQUIRE(job[2].send(0, silent, 8));
  REQUIRE(job[1].send(0, silent, 9));
  CHECK(take_wakeups(job[0]) == 1);
  CHECK(job[0].poll(4) == 3);
}

TEST_CASE_FIXTURE(connected_ranks, "a late wakeup does not disturb the next sleep") {
  REQUIRE(arm() == for_ever);
  REQUIRE(job[1].send(0, silent, 7));
  REQUIRE(job[0].poll() == 1);
  REQUIRE(wakeup_pending(job[0]));
  CHECK(arm() == for_ever);
  CHECK(!wakeup_pending(job[0]));
}

TEST_CASE_FIXTURE(connected_ranks, "a rank that polls without disarming misses nothing") {
  for (am_word round = 0; round < 5; ++round) {
    REQUIRE(arm() == for_ever);
    REQUIRE(job[0].poll() == 0);
    REQUIRE(job[1].send(0, silent, round));
    REQUIRE(wakeup_pending(job[0]));
    REQUIRE(job[0].poll() == 1);
    REQUIRE(job[1].send(0, silent, round));
    REQUIRE(job[0].poll() == 1);
    job[1].to(0).refresh_credits();
  }
}

// ---- while falling asleep -----------------------------------------------------------------------

TEST_CASE_FIXTURE(connected_ranks, "a message that is already there keeps a rank awake") {
  REQUIRE(job[1].send(0, silent, 7));
  CHECK(arm() == 0ns);
  CHECK(job[0].poll() == 1);
  CHECK(arm() == for_ever);
}

TEST_CASE_FIXTURE(connected_ranks,
                  "a request during the barrier whose sender sees the mark is found") {
  at_barrier = [&] { REQUIRE(job[1].send(0, silent, 7)); };
  CHECK(arm() == 0ns);
  CHECK(job[0].poll() == 1);
}

TEST_CASE_FIXTURE(connected_ranks,
                  "a request during the barrier whose sender does not see the mark is found") {
  at_barrier = [&] {
    without_seeing(job.channel(1, 0).requests_quiet, [&] { REQUIRE(job[1].send(0, silent, 7)); });
  };
  CHECK(arm() == 0ns);
  CHECK(job[0].poll() == 1);
  // The ring is active: no mark is left that no rank checks.
  REQUIRE(job[1].send(0, silent, 8));
  CHECK(job[0].poll() == 1);
}

TEST_CASE_FIXTURE(connected_ranks,
                  "a reply during the barrier is found, whether or not its sender sees the mark") {
  for (const bool sees : {true, false}) {
    REQUIRE(job[0].send(1, replying, 5));
    at_barrier = [&] {
      if (sees) return static_cast<void>(job[1].poll());
      without_seeing(job.channel(0, 1).replies_quiet, [&] { REQUIRE(job[1].poll() == 1); });
    };
    CHECK(arm() == 0ns);
    CHECK(job[0].poll() == 1);
  }
}

TEST_CASE("first contact wakes, and during the barrier it keeps a rank awake") {
  shm_job job(3, 16, 64);
  REQUIRE(job[0].transport->arm() == for_ever);
  REQUIRE(job[1].send(0, silent, 1));
  CHECK(take_wakeups(job[0]) == 1);
  CHECK(job[0].poll() == 1);
  at_barrier = [&] { REQUIRE(job[2].send(0, silent, 2)); };
  CHECK(job[0].transport->arm() == 0ns);
  CHECK(job[0].poll() == 1);
}

TEST_CASE("a message on a quiet ring wakes, and is found during the barrier") {
  shm_job job(8, 16, 64);
  for (am_rank from = 1; from < 8; ++from) REQUIRE(job[from].send(0, silent, 1));
  job[0].poll(10);
  job.poll_until_quiet(0);
  am_rank quiet = 1;
  while (job.channel(quiet, 0).requests_quiet == 0) ++quiet;
  at_barrier = [&] { REQUIRE(job[quiet].send(0, silent, 2)); };
  CHECK(job[0].transport->arm() == 0ns);
  CHECK(job[0].poll() == 1);
  job.poll_until_quiet(0);
  REQUIRE(job[0].transport->arm() == for_ever);
  REQUIRE(job[quiet].send(0, silent, 3));
  CHECK(take_wakeups(job[0]) == 1);
  CHECK(job[0].poll() == 1);
}

// ---- credits and room ---------------------------------------------------------------------------

TEST_CASE_FIXTURE(connected_ranks, "the return of silent requests' credits wakes") {
  while (job[0].send(1, silent, 3)) {
  }
  REQUIRE(arm() == for_ever);
  job[1].poll(30);
  CHECK(wakeup_pending(job[0]));
  job[0].to(1).refresh_credits();
  CHECK(job[0].to(1).credits.free() != 0);
}

TEST_CASE_FIXTURE(connected_ranks,
                  "credits that return during the barrier keep a rank awake, once") {
  for (const bool sees : {true, false}) {
    job[0].to(1).refresh_credits();
    while (job[0].send(1, silent, 3)) {
    }
    at_barrier = [&] {
      if (sees) return static_cast<void>(job[1].poll(30));
      without_seeing(job.channel(0, 1).replies_quiet, [&] { job[1].poll(30); });
    };
    CHECK(arm() == 0ns);
    CHECK(job[0].to(1).credits.free() != 0);
    CHECK(arm() == for_ever);
  }
}

TEST_CASE_FIXTURE(connected_ranks,
                  "payload room that is released during the barrier keeps a rank awake") {
  unsigned sent = 0;
  while (job[0].send_medium(1, sent, 16000) == AM_OK) ++sent;
  REQUIRE(sent == 4);
  at_barrier = [&] {
    without_seeing(job.channel(0, 1).replies_quiet, [&] { job[1].poll(30); });
    // The credits are known; only the room is new.
    job[0].to(1).refresh_credits();
  };
  CHECK(arm() == 0ns);
  CHECK(job[0].send_medium(1, 9, 16000) == AM_OK);
}

// ---- what is published before -------------------------------------------------------------------

TEST_CASE_FIXTURE(connected_ranks,
                  "a rank that falls asleep has published its counters and its pause") {
  // Handled by the check of a request, which publishes nothing.
  REQUIRE(job[1].send(0, silent, 5));
  job[0].to(2).poll_once();
  REQUIRE(job[0].send(2, silent, 6));
  const auto pauses = job.channel(0, 2).requests_paused.load();
  REQUIRE(arm() == for_ever);
  job[1].to(0).refresh_credits();
  CHECK(job[1].to(0).credits.in_flight() == 0);
  CHECK(job.channel(0, 2).requests_paused.load() != pauses);
}

TEST_CASE_FIXTURE(connected_ranks, "a pause is announced on a quiet ring, too") {
  REQUIRE(arm() == for_ever);
  REQUIRE(job[0].send(1, silent, 6));
  const auto pauses = job.channel(0, 1).requests_paused.load();
  REQUIRE(job.channel(0, 1).replies_quiet == 1);
  REQUIRE(arm() == for_ever);
  CHECK(job.channel(0, 1).requests_paused.load() != pauses);
}

TEST_CASE("a ring that grows wakes a requester that sleeps without credits") {
  shm_job job(2, 4096, 4096);
  while (job[0].send(1, silent, 0)) {
  }
  job[0].to(1).refresh_credits();
  REQUIRE(job[0].transport->arm() == for_ever);
  job[1].poll(5);
  CHECK(wakeup_pending(job[0]));
}

// ---- where the mark may be missed ---------------------------------------------------------------

TEST_CASE_FIXTURE(connected_ranks,
                  "with a peer that has not registered for barriers a rank sleeps a millisecond") {
  job.control_block(1).membarrier_registered = 0;
  CHECK(arm() == 1ms);
  CHECK(job.channel(1, 0).requests_quiet == 0);
  CHECK(job.channel(2, 0).requests_quiet == 1);
  at_barrier = [&] { REQUIRE(job[1].send(0, silent, 7)); };
  CHECK(arm() == 0ns);
  CHECK(job[0].poll() == 1);
}

TEST_CASE_FIXTURE(connected_ranks, "where a barrier cannot be issued a rank sleeps a millisecond") {
  barrier_works = false;
  CHECK(arm() == 1ms);
  barrier_works = true;
  CHECK(arm() == for_ever);
}

}  // namespace protocol_shm_sleep
