// Quiet rings step by step: whatever a writer does while a reader stops polling its ring, the
// message is found, once.
#include "shm_job.hpp"

#include <doctest/doctest.h>

namespace protocol_shm_quiet {

using namespace am_test;

namespace {

constexpr am_rank peers = 7;  // more rings than are always polled

// Every peer has sent a message to rank 0, which has handled it.
struct connected_peers {
  explicit connected_peers(am_rank ranks = peers + 1) : job(ranks, 16, 64) {
    for (am_rank from = 1; from < ranks; ++from) {
      REQUIRE(job[from].send(0, silent, from));
      job[0].poll(2);
    }
    REQUIRE(job[0].seen.all.size() == ranks - 1);
    job[0].seen.all.clear();
    barriers = 0;
  }
  [[nodiscard]] bool is_quiet(am_rank from) { return job.channel(from, 0).requests_quiet != 0; }

  shm_job job;
};

}  // namespace

TEST_CASE("rings that are idle for long go quiet, except the last few") {
  connected_peers t;
  t.job.poll_until_quiet(0);
  unsigned quiet = 0;
  for (am_rank from = 1; from <= peers; ++from) quiet += t.is_quiet(from);
  CHECK(quiet > 0);
  CHECK(quiet < peers);
  CHECK(barriers == 1);  // all of them shared one barrier
}

TEST_CASE("the next message of a quiet peer is handled, and its ring is polled again") {
  connected_peers t;
  t.job.poll_until_quiet(0);
  for (am_rank from = 1; from <= peers; ++from) {
    CAPTURE(from);
    REQUIRE(t.job[from].send(0, silent, 100 + from));
    REQUIRE(t.job[0].poll() == 1);
    REQUIRE(t.job[0].seen.all.back() == recorder::handler_run{from, silent, 100 + from, 0});
    REQUIRE(!t.is_quiet(from));
    REQUIRE(t.job[from].send(0, silent, 200 + from));
    REQUIRE(t.job[0].poll() == 1);
  }
}

TEST_CASE("a ring with recent messages stays active") {
  connected_peers t;
  for (unsigned round = 0; round < 20; ++round) {
    for (am_rank from = 1; from <= peers; ++from) REQUIRE(t.job[from].send(0, silent, round));
    t.job[0].poll(500);
    for (am_rank from = 1; from <= peers; ++from) t.job[from].to(0).refresh_credits();
  }
  CHECK(barriers == 0);
}

// ---- between the mark and the last check ----

TEST_CASE("a message published before its writer could see the mark is found by the last check") {
  for (am_rank from = 1; from <= peers; ++from) {
    CAPTURE(from);
    connected_peers t;
    bool was_marked = false;
    at_barrier = [&] {
      // As if it had read the mark before the mark was set: it sends no signal.
      was_marked = t.is_quiet(from);
      auto& mark = t.job.channel(from, 0).requests_quiet;
      const auto value = mark.exchange(0);
      REQUIRE(t.job[from].send(0, silent, 7));
      mark = value;
    };
    t.job[0].poll(5000);
    REQUIRE(t.job[0].seen.all == std::vector<recorder::handler_run>{{from, silent, 7, 0}});
    // The ring is active: no mark is left that no rank checks.
    REQUIRE(t.job[from].send(0, silent, 8));
    REQUIRE(t.job[0].poll() == 1);
    static_cast<void>(was_marked);
  }
}

TEST_CASE(
    "a writer that sees the mark during the barrier signals, and its message is handled once") {
  for (am_rank from = 1; from <= peers; ++from) {
    CAPTURE(from);
    connected_peers t;
    at_barrier = [&] { REQUIRE(t.job[from].send(0, silent, 7)); };
    t.job[0].poll(5000);
    REQUIRE(t.job[0].seen.all == std::vector<recorder::handler_run>{{from, silent, 7, 0}});
    REQUIRE(t.job[from].send(0, silent, 8));
    REQUIRE(t.job[0].poll() == 1);
    // The ring may go quiet and active again.
    t.job[0].poll(5000);
    REQUIRE(t.job[from].send(0, silent, 9));
    REQUIRE(t.job[0].poll() == 1);
  }
}

TEST_CASE("all peers send at once during the barrier") {
  connected_peers t;
  at_barrier = [&] {
    for (am_rank from = 1; from <= peers; ++from) REQUIRE(t.job[from].send(0, silent, from));
  };
  CHECK(t.job[0].poll(5000) == peers);
  CHECK(t.job[0].seen.all.size() == peers);
}

TEST_CASE("a new sender that arrives during the barrier is accepted") {
  shm_job job(peers + 2, 16, 64);
  for (am_rank from = 1; from <= peers; ++from) REQUIRE(job[from].send(0, silent, from));
  job[0].poll(3);
  at_barrier = [&] { REQUIRE(job[peers + 1].send(0, silent, 7)); };
  CHECK(job[0].poll(5000) == 1);
}

// ---- unpublished counters of a quiet ring ----

TEST_CASE("pending silence is published before a ring goes quiet") {
  connected_peers t;
  // Handled by the check of a request, which publishes nothing.
  REQUIRE(t.job[1].send(0, silent, 5));
  t.job[0].to(2).poll_once();
  REQUIRE(t.job[0].seen.all.size() == 1);
  t.job[0].poll(5000);
  t.job[1].to(0).refresh_credits();
  CHECK(t.job[1].to(0).credits.in_flight() == 0);
}

TEST_CASE("a reply to a requester whose reply ring has gone quiet is handled") {
  shm_job job(peers + 1, 16, 64);
  for (am_rank to = 1; to <= peers; ++to) REQUIRE(job[0].send(to, replying, to));
  job.poll_until_quiet(0);
  for (am_rank to = 1; to <= peers; ++to) {
    REQUIRE(job[to].poll() == 1);
    REQUIRE(job[0].poll() == 1);
  }
  CHECK(job[0].seen.all.size() == peers);
}

TEST_CASE("a request returned to a requester whose reply ring has gone quiet is handled") {
  shm_job job(peers + 1, 16, 64);
  for (am_rank to = 1; to <= peers; ++to) REQUIRE(job[0].send(to, 700, to));
  job.poll_until_quiet(0);
  for (am_rank to = 1; to <= peers; ++to) {
    REQUIRE(job[to].poll() == 1);
    REQUIRE(job[0].poll() == 1);
  }
}

TEST_CASE("a window grows though the ring that announces the growth has gone quiet") {
  shm_job job(peers + 1, 4096, 4096);
  for (am_rank to = 1; to <= peers; ++to) REQUIRE(job[0].send(to, silent, to));
  job.poll_until_quiet(0);
  for (am_rank to = 1; to <= peers; ++to) {
    while (job[0].send(to, silent, 0)) {
    }
    job[0].to(to).refresh_credits();
    job[to].poll(5);
    job[0].poll(2);
    REQUIRE(job[0].to(to).credits.limit() == 126);
  }
}

// ---- more ranks than bits ----

TEST_CASE("two peers that share a bit of the control block are both handled") {
  constexpr am_rank many = 66;  // rank 2 and rank 65 share one
  connected_peers t(many);
  t.job.poll_until_quiet(0);
  REQUIRE(t.is_quiet(2));
  for (const am_rank from : {am_rank{65}, am_rank{2}, am_rank{64}, am_rank{63}, am_rank{1}}) {
    CAPTURE(from);
    REQUIRE(t.job[from].send(0, silent, from));
    REQUIRE(t.job[0].poll() == 1);
    REQUIRE(t.job[0].seen.all.back().source == from);
  }
}

TEST_CASE("a ring that went quiet in the middle of a flood is handled when it becomes active") {
  shm_job job(peers + 1, 4096, 64);
  for (am_rank from = 1; from <= peers; ++from) REQUIRE(job[from].send(0, silent, 0));
  job[0].poll(10);
  const am_rank flooder = peers;
  for (unsigned i = 0; i < 8; ++i) REQUIRE(job[flooder].send(0, silent, 1));
  REQUIRE(job[0].poll() == 8);
  // Another rank keeps every poll busy until the first has gone quiet.
  for (unsigned polls = 0; polls < 5000; ++polls) {
    job[1].to(0).refresh_credits();
    while (job[1].send(0, silent, 9)) {
    }
    REQUIRE(job[0].poll() != 0);
  }
  job[0].poll(10);
  REQUIRE(job.channel(flooder, 0).requests_quiet == 1);
  REQUIRE(job[flooder].send(0, silent, 7));
  CHECK(job[0].poll() == 1);
}

TEST_CASE("a peer whose reply ring has gone quiet still learns of pauses") {
  connected_peers t;
  for (am_rank to = 1; to <= peers; ++to) t.job[0].to(to);
  t.job.poll_until_quiet(0);
  REQUIRE(t.job.channel(0, peers).replies_quiet == 1);
  const std::uint32_t pauses = t.job.channel(0, peers).requests_paused;
  REQUIRE(t.job[0].send(peers, silent, 1));
  t.job[0].poll();
  CHECK(t.job.channel(0, peers).requests_paused == pauses + 1);
}

}  // namespace protocol_shm_quiet
