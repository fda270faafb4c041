// Quiet rings step by step: whatever a writer does around the moment at which a reader stops
// looking at its ring, the message is found, once.
#include "shm_steps.hpp"

#include <doctest/doctest.h>

using namespace am_test;

namespace {

constexpr am_rank peers = 7;  // more rings than are always looked at

// Everybody has said something to rank 0, which has handled it.
struct talkers {
  explicit talkers(am_rank ranks = peers + 1) : job(ranks, 16, 64) {
    for (am_rank from = 1; from < ranks; ++from) {
      REQUIRE(job[from].send(0, silent, from));
      job[0].poll(2);
    }
    REQUIRE(job[0].seen.all.size() == ranks - 1);
    job[0].seen.all.clear();
    barriers = 0;
  }
  [[nodiscard]] bool is_quiet(am_rank from) { return job.lines(from, 0).requests_quiet != 0; }

  shm_job job;
};

}  // namespace

TEST_CASE("rings that are idle for long go quiet, but for the last few") {
  talkers t;
  t.job.let_go_quiet(0);
  unsigned quiet = 0;
  for (am_rank from = 1; from <= peers; ++from) quiet += t.is_quiet(from);
  CHECK(quiet > 0);
  CHECK(quiet < peers);
  CHECK(barriers == 1);  // all of them passed it together
}

TEST_CASE("a quiet peer is heard with its next message, and its ring is looked at again") {
  talkers t;
  t.job.let_go_quiet(0);
  for (am_rank from = 1; from <= peers; ++from) {
    CAPTURE(from);
    REQUIRE(t.job[from].send(0, silent, 100 + from));
    REQUIRE(t.job[0].poll() == 1);
    REQUIRE(t.job[0].seen.all.back() == recorder::ran{from, silent, 100 + from, 0});
    REQUIRE(!t.is_quiet(from));
    REQUIRE(t.job[from].send(0, silent, 200 + from));
    REQUIRE(t.job[0].poll() == 1);
  }
}

TEST_CASE("a ring that has said something lately stays") {
  talkers t;
  for (unsigned round = 0; round < 20; ++round) {
    for (am_rank from = 1; from <= peers; ++from) REQUIRE(t.job[from].send(0, silent, round));
    t.job[0].poll(500);
    for (am_rank from = 1; from <= peers; ++from) t.job[from].to(0).refresh();
  }
  CHECK(barriers == 0);
}

// ---- the moment between mark and second look ----

TEST_CASE("a writer that had published before it could see the mark is found by the second look") {
  for (am_rank from = 1; from <= peers; ++from) {
    CAPTURE(from);
    talkers t;
    bool was_marked = false;
    at_barrier = [&] {
      // As if its look at the mark had come before the mark: it knocks nowhere.
      was_marked = t.is_quiet(from);
      auto& mark = t.job.lines(from, 0).requests_quiet;
      const auto value = mark.exchange(0);
      REQUIRE(t.job[from].send(0, silent, 7));
      mark = value;
    };
    t.job[0].poll(5000);
    REQUIRE(t.job[0].seen.all == std::vector<recorder::ran>{{from, silent, 7, 0}});
    // And it is awake: no mark is left behind that nobody looks for.
    REQUIRE(t.job[from].send(0, silent, 8));
    REQUIRE(t.job[0].poll() == 1);
    static_cast<void>(was_marked);
  }
}

TEST_CASE("a writer that sees the mark during the barrier knocks, and is heard once") {
  for (am_rank from = 1; from <= peers; ++from) {
    CAPTURE(from);
    talkers t;
    at_barrier = [&] { REQUIRE(t.job[from].send(0, silent, 7)); };
    t.job[0].poll(5000);
    REQUIRE(t.job[0].seen.all == std::vector<recorder::ran>{{from, silent, 7, 0}});
    REQUIRE(t.job[from].send(0, silent, 8));
    REQUIRE(t.job[0].poll() == 1);
    // The ring may go quiet again, and wake again.
    t.job[0].poll(5000);
    REQUIRE(t.job[from].send(0, silent, 9));
    REQUIRE(t.job[0].poll() == 1);
  }
}

TEST_CASE("all peers speak at once during the barrier") {
  talkers t;
  at_barrier = [&] {
    for (am_rank from = 1; from <= peers; ++from) REQUIRE(t.job[from].send(0, silent, from));
  };
  CHECK(t.job[0].poll(5000) == peers);
  CHECK(t.job[0].seen.all.size() == peers);
}

TEST_CASE("a newcomer that arrives during the barrier is welcome") {
  shm_job job(peers + 2, 16, 64);
  for (am_rank from = 1; from <= peers; ++from) REQUIRE(job[from].send(0, silent, from));
  job[0].poll(3);
  at_barrier = [&] { REQUIRE(job[peers + 1].send(0, silent, 7)); };
  CHECK(job[0].poll(5000) == 1);
}

// ---- what a quiet ring owes and is owed ----

TEST_CASE("what is owed is published before a ring goes quiet") {
  talkers t;
  // Handled by a look of a request, which settles nothing.
  REQUIRE(t.job[1].send(0, silent, 5));
  t.job[0].to(2).look();
  REQUIRE(t.job[0].seen.all.size() == 1);
  t.job[0].poll(5000);
  t.job[1].to(0).refresh();
  CHECK(t.job[1].to(0).credits.on_their_way() == 0);
}

TEST_CASE("a reply to a requester whose reply ring has gone quiet is heard") {
  shm_job job(peers + 1, 16, 64);
  for (am_rank to = 1; to <= peers; ++to) REQUIRE(job[0].send(to, asking, to));
  job.let_go_quiet(0);
  for (am_rank to = 1; to <= peers; ++to) {
    REQUIRE(job[to].poll() == 1);
    REQUIRE(job[0].poll() == 1);
  }
  CHECK(job[0].seen.all.size() == peers);
}

TEST_CASE("a request given back to a requester whose reply ring has gone quiet is heard") {
  shm_job job(peers + 1, 16, 64);
  for (am_rank to = 1; to <= peers; ++to) REQUIRE(job[0].send(to, 700, to));
  job.let_go_quiet(0);
  for (am_rank to = 1; to <= peers; ++to) {
    REQUIRE(job[to].poll() == 1);
    REQUIRE(job[0].poll() == 1);
  }
}

TEST_CASE("a window grows though the ring that tells of it has gone quiet") {
  shm_job job(peers + 1, 4096, 4096);
  for (am_rank to = 1; to <= peers; ++to) REQUIRE(job[0].send(to, silent, to));
  job.let_go_quiet(0);
  for (am_rank to = 1; to <= peers; ++to) {
    while (job[0].send(to, silent, 0)) {
    }
    job[0].to(to).refresh();
    job[to].poll(5);
    job[0].poll(2);
    REQUIRE(job[0].to(to).credits.limit() == 126);
  }
}

// ---- more ranks than bits ----

TEST_CASE("two peers that share a bit of the doorstep are both heard") {
  constexpr am_rank many = 66;  // rank 2 and rank 65 share one
  talkers t(many);
  t.job.let_go_quiet(0);
  REQUIRE(t.is_quiet(2));
  for (const am_rank from : {am_rank{65}, am_rank{2}, am_rank{64}, am_rank{63}, am_rank{1}}) {
    CAPTURE(from);
    REQUIRE(t.job[from].send(0, silent, from));
    REQUIRE(t.job[0].poll() == 1);
    REQUIRE(t.job[0].seen.all.back().source == from);
  }
}

TEST_CASE("a ring that went quiet in the middle of a flood is heard when it wakes up") {
  shm_job job(peers + 1, 4096, 64);
  for (am_rank from = 1; from <= peers; ++from) REQUIRE(job[from].send(0, silent, 0));
  job[0].poll(10);
  const am_rank flooder = peers;
  for (unsigned i = 0; i < 8; ++i) REQUIRE(job[flooder].send(0, silent, 1));
  REQUIRE(job[0].poll() == 8);
  // Another one keeps every poll busy until the first has gone quiet.
  for (unsigned polls = 0; polls < 5000; ++polls) {
    job[1].to(0).refresh();
    while (job[1].send(0, silent, 9)) {
    }
    REQUIRE(job[0].poll() != 0);
  }
  job[0].poll(10);
  REQUIRE(job.lines(flooder, 0).requests_quiet == 1);
  REQUIRE(job[flooder].send(0, silent, 7));
  CHECK(job[0].poll() == 1);
}

TEST_CASE("a peer whose replies have gone quiet hears of pauses still") {
  talkers t;
  for (am_rank to = 1; to <= peers; ++to) t.job[0].to(to);
  t.job.let_go_quiet(0);
  REQUIRE(t.job.lines(0, peers).replies_quiet == 1);
  const std::uint32_t pauses = t.job.lines(0, peers).requests_paused;
  REQUIRE(t.job[0].send(peers, silent, 1));
  t.job[0].poll();
  CHECK(t.job.lines(0, peers).requests_paused == pauses + 1);
}
