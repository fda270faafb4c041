// Falling asleep step by step: whatever a peer does around the moment at which a rank falls asleep,
// the rank does not fall asleep or its bell rings.
#include "shm_steps.hpp"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>

using namespace am_test;
using namespace std::chrono_literals;

namespace {

constexpr auto for_ever = std::chrono::nanoseconds::max();

bool rings(node& rank) {
  pollfd bell{rank.transport->wake_descriptor(), POLLIN, 0};
  return ::poll(&bell, 1, 0) == 1;
}

// How often it has rung; silent afterwards.
unsigned times_rung(node& rank) {
  unsigned times = 0;
  char byte = 0;
  while (::recv(rank.transport->wake_descriptor(), &byte, 1, MSG_DONTWAIT) >= 0) ++times;
  return times;
}

// Rank 0 of three has heard of both others and asked both; everything is answered for.
struct acquainted {
  acquainted() : job(3, 16, 64) {
    for (am_rank peer = 1; peer < 3; ++peer) {
      REQUIRE(job[peer].send(0, silent, 1));
      REQUIRE(job[0].send(peer, asking, 1));
      job[0].poll(4);
      job[peer].poll(4);
    }
    job[0].poll(4);
    for (am_rank peer = 1; peer < 3; ++peer) job[peer].to(0).refresh();
    job[0].seen.all.clear();
    barriers = 0;
  }
  std::chrono::nanoseconds arm() { return job[0].transport->arm(); }

  shm_job job;
};

// `step` of a peer as if its look at the mark had come before the mark was set: it knocks nowhere.
template <class Step>
void without_seeing(std::atomic<std::uint32_t>& mark, Step&& step) {
  const auto value = mark.exchange(0);
  step();
  mark = value;
}

}  // namespace

TEST_CASE_FIXTURE(acquainted, "where nothing is, a rank may sleep as long as it likes") {
  CHECK(arm() == for_ever);
  CHECK(barriers == 1);
  CHECK(!rings(job[0]));
}

TEST_CASE_FIXTURE(acquainted, "a request, a reply and a returned request ring") {
  for (const std::uint32_t handler : {std::uint32_t{asking}, 700U}) {
    REQUIRE(job[0].send(1, handler, 5));
    REQUIRE(arm() == for_ever);
    REQUIRE(job[1].poll() == 1);
    CHECK(times_rung(job[0]) == 1);
    CHECK(job[0].poll() == 1);
  }
  REQUIRE(arm() == for_ever);
  REQUIRE(job[2].send(0, silent, 7));
  CHECK(times_rung(job[0]) == 1);
  CHECK(job[0].poll() == 1);
  REQUIRE(arm() == for_ever);
  REQUIRE(job[2].send_medium(0, 8, 100) == AM_OK);
  CHECK(times_rung(job[0]) == 1);
  CHECK(job[0].poll() == 1);
}

TEST_CASE_FIXTURE(acquainted, "nobody rings a rank that is awake") {
  REQUIRE(arm() == for_ever);
  job[0].transport->disarm();
  REQUIRE(job[1].send(0, silent, 7));
  CHECK(!rings(job[0]));
  CHECK(job[0].poll() == 1);
}

TEST_CASE_FIXTURE(acquainted, "of all that comes to a sleeper only the first thing rings") {
  REQUIRE(arm() == for_ever);
  REQUIRE(job[1].send(0, silent, 7));
  REQUIRE(job[2].send(0, silent, 8));
  REQUIRE(job[1].send(0, silent, 9));
  CHECK(times_rung(job[0]) == 1);
  CHECK(job[0].poll(4) == 3);
}

TEST_CASE_FIXTURE(acquainted, "a ring that comes late does not disturb the sleep after it") {
  REQUIRE(arm() == for_ever);
  REQUIRE(job[1].send(0, silent, 7));
  REQUIRE(job[0].poll() == 1);
  REQUIRE(rings(job[0]));
  CHECK(arm() == for_ever);
  CHECK(!rings(job[0]));
}

TEST_CASE_FIXTURE(acquainted, "a rank that polls without disarming misses nothing") {
  for (am_word round = 0; round < 5; ++round) {
    REQUIRE(arm() == for_ever);
    REQUIRE(job[0].poll() == 0);
    REQUIRE(job[1].send(0, silent, round));
    REQUIRE(rings(job[0]));
    REQUIRE(job[0].poll() == 1);
    REQUIRE(job[1].send(0, silent, round));
    REQUIRE(job[0].poll() == 1);
    job[1].to(0).refresh();
  }
}

// ---- the moment of falling asleep ---------------------------------------------------------------

TEST_CASE_FIXTURE(acquainted, "what lies there keeps a rank awake") {
  REQUIRE(job[1].send(0, silent, 7));
  CHECK(arm() == 0ns);
  CHECK(job[0].poll() == 1);
  CHECK(arm() == for_ever);
}

TEST_CASE_FIXTURE(acquainted, "a request during the barrier whose sender sees the mark is found") {
  at_barrier = [&] { REQUIRE(job[1].send(0, silent, 7)); };
  CHECK(arm() == 0ns);
  CHECK(job[0].poll() == 1);
}

TEST_CASE_FIXTURE(acquainted, "a request during the barrier whose sender sees no mark is found") {
  at_barrier = [&] {
    without_seeing(job.lines(1, 0).requests_quiet, [&] { REQUIRE(job[1].send(0, silent, 7)); });
  };
  CHECK(arm() == 0ns);
  CHECK(job[0].poll() == 1);
  // And the ring is awake: no mark is left behind that nobody looks for.
  REQUIRE(job[1].send(0, silent, 8));
  CHECK(job[0].poll() == 1);
}

TEST_CASE_FIXTURE(acquainted,
                  "a reply during the barrier is found, whether it sees the mark or not") {
  for (const bool sees : {true, false}) {
    REQUIRE(job[0].send(1, asking, 5));
    at_barrier = [&] {
      if (sees) return static_cast<void>(job[1].poll());
      without_seeing(job.lines(0, 1).replies_quiet, [&] { REQUIRE(job[1].poll() == 1); });
    };
    CHECK(arm() == 0ns);
    CHECK(job[0].poll() == 1);
  }
}

TEST_CASE("first contact rings, and during the barrier it keeps a rank awake") {
  shm_job job(3, 16, 64);
  REQUIRE(job[0].transport->arm() == for_ever);
  REQUIRE(job[1].send(0, silent, 1));
  CHECK(times_rung(job[0]) == 1);
  CHECK(job[0].poll() == 1);
  at_barrier = [&] { REQUIRE(job[2].send(0, silent, 2)); };
  CHECK(job[0].transport->arm() == 0ns);
  CHECK(job[0].poll() == 1);
}

TEST_CASE("a ring that was quiet already rings, and is found during the barrier") {
  shm_job job(8, 16, 64);
  for (am_rank from = 1; from < 8; ++from) REQUIRE(job[from].send(0, silent, 1));
  job[0].poll(10);
  job.let_go_quiet(0);
  am_rank quiet = 1;
  while (job.lines(quiet, 0).requests_quiet == 0) ++quiet;
  at_barrier = [&] { REQUIRE(job[quiet].send(0, silent, 2)); };
  CHECK(job[0].transport->arm() == 0ns);
  CHECK(job[0].poll() == 1);
  job.let_go_quiet(0);
  REQUIRE(job[0].transport->arm() == for_ever);
  REQUIRE(job[quiet].send(0, silent, 3));
  CHECK(times_rung(job[0]) == 1);
  CHECK(job[0].poll() == 1);
}

// ---- credits and room ---------------------------------------------------------------------------

TEST_CASE_FIXTURE(acquainted, "credits of silent requests that come home ring") {
  while (job[0].send(1, silent, 3)) {
  }
  REQUIRE(arm() == for_ever);
  job[1].poll(30);
  CHECK(rings(job[0]));
  job[0].to(1).refresh();
  CHECK(job[0].to(1).credits.free() != 0);
}

TEST_CASE_FIXTURE(acquainted, "credits that come home during the barrier keep a rank awake, once") {
  for (const bool sees : {true, false}) {
    job[0].to(1).refresh();
    while (job[0].send(1, silent, 3)) {
    }
    at_barrier = [&] {
      if (sees) return static_cast<void>(job[1].poll(30));
      without_seeing(job.lines(0, 1).replies_quiet, [&] { job[1].poll(30); });
    };
    CHECK(arm() == 0ns);
    CHECK(job[0].to(1).credits.free() != 0);
    CHECK(arm() == for_ever);
  }
}

TEST_CASE_FIXTURE(acquainted,
                  "payload room that comes back during the barrier keeps a rank awake") {
  unsigned sent = 0;
  while (job[0].send_medium(1, sent, 16000) == AM_OK) ++sent;
  REQUIRE(sent == 4);
  at_barrier = [&] {
    without_seeing(job.lines(0, 1).replies_quiet, [&] { job[1].poll(30); });
    // The credits are known; only the room is news.
    job[0].to(1).refresh();
  };
  CHECK(arm() == 0ns);
  CHECK(job[0].send_medium(1, 9, 16000) == AM_OK);
}

// ---- what others are told before
// -----------------------------------------------------------------

TEST_CASE_FIXTURE(acquainted,
                  "a rank that falls asleep owes nothing, and has said that it pauses") {
  // Handled by a look of a request, which settles nothing.
  REQUIRE(job[1].send(0, silent, 5));
  job[0].to(2).look();
  REQUIRE(job[0].send(2, silent, 6));
  const auto pauses = job.lines(0, 2).requests_paused.load();
  REQUIRE(arm() == for_ever);
  job[1].to(0).refresh();
  CHECK(job[1].to(0).credits.on_their_way() == 0);
  CHECK(job.lines(0, 2).requests_paused.load() != pauses);
}

TEST_CASE_FIXTURE(acquainted, "a pause is told where the ring is quiet, too") {
  REQUIRE(arm() == for_ever);
  REQUIRE(job[0].send(1, silent, 6));
  const auto pauses = job.lines(0, 1).requests_paused.load();
  REQUIRE(job.lines(0, 1).replies_quiet == 1);
  REQUIRE(arm() == for_ever);
  CHECK(job.lines(0, 1).requests_paused.load() != pauses);
}

TEST_CASE("a ring that grows wakes a requester that sleeps without credits") {
  shm_job job(2, 4096, 4096);
  while (job[0].send(1, silent, 0)) {
  }
  job[0].to(1).refresh();
  REQUIRE(job[0].transport->arm() == for_ever);
  job[1].poll(5);
  CHECK(rings(job[0]));
}

// ---- where the mark may be missed ---------------------------------------------------------------

TEST_CASE_FIXTURE(acquainted,
                  "towards a peer that passes no barriers a rank sleeps a millisecond") {
  job.door(1).passes_barriers = 0;
  CHECK(arm() == 1ms);
  CHECK(job.lines(1, 0).requests_quiet == 0);
  CHECK(job.lines(2, 0).requests_quiet == 1);
  at_barrier = [&] { REQUIRE(job[1].send(0, silent, 7)); };
  CHECK(arm() == 0ns);
  CHECK(job[0].poll() == 1);
}

TEST_CASE_FIXTURE(acquainted, "where a barrier cannot be issued a rank sleeps a millisecond") {
  barrier_works = false;
  CHECK(arm() == 1ms);
  barrier_works = true;
  CHECK(arm() == for_ever);
}
