// The shm transport step by step: a peer that died between any two of its steps.
#include "shm_job.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

namespace protocol_shm_deaths {

using namespace am_test;
namespace seam = am::detail::seam;
namespace shm = am::detail::shm;

namespace {

// The requests to a dead peer that return.
struct lost_requests final : seam::failure_sink {
  [[nodiscard]] bool has_died(am_rank) const noexcept override { return true; }
  std::vector<am_word> not_run;
  std::vector<am_word> unknown;
  std::vector<std::size_t> bytes;
  void on_lost_request(am_rank, const seam::lost_request& request) noexcept override {
    (request.unknown ? unknown : not_run).push_back(request.words[0]);
    bytes.push_back(request.bytes);
  }
};

using words = std::vector<am_word>;

// As core does: learns of the death in a poll, drains the dead peer, and fails the port.
lost_requests retire_peer(shm_job& job, am_rank survivor, am_rank dead) {
  job.inject_death(dead);
  (void)job[survivor].poll(2);
  REQUIRE(job[survivor].seen.deaths == std::vector<am_rank>{dead});
  while (job[survivor].transport->drain_dead_peer(dead, 3) == 3) continue;
  lost_requests all;
  job[survivor].to(dead).fail_pending(all);
  return all;
}

words handled_words(shm_rank& at, std::uint32_t handler) {
  words all;
  for (const recorder::handler_run& one : at.seen.all)
    if (one.handler == handler) all.push_back(one.word);
  return all;
}

}  // namespace

TEST_CASE("every other rank learns of a death once, in its next poll") {
  shm_job job(3, 16, 64);
  CHECK(job[0].poll(10) == 0);
  job.inject_death(1);
  for (const am_rank other : {0U, 2U}) {
    CHECK(job[other].seen.deaths.empty());
    CHECK(job[other].poll() == 0);
    CHECK(job[other].seen.deaths == std::vector<am_rank>{1});
    CHECK(job[other].poll(10) == 0);
    CHECK(job[other].seen.deaths.size() == 1);
  }
  job.inject_death(0);
  CHECK(job[2].poll() == 0);
  CHECK(job[2].seen.deaths == std::vector<am_rank>{1, 0});
}

TEST_CASE("a rank that was notified of a death does not sleep before it has polled") {
  shm_job job(2, 16, 64);
  at_barrier = [&] { job.inject_death(1); };
  CHECK(job[0].transport->arm() == std::chrono::nanoseconds::zero());
  CHECK(job[0].poll() == 0);
  CHECK(job[0].seen.deaths == std::vector<am_rank>{1});
}

TEST_CASE("what the dead rank had published is delivered, and nothing else") {
  shm_job job(2, 64, 64);
  for (am_word i = 0; i < 7; ++i) REQUIRE(job[1].send(0, silent, i));
  // It had written the words of an eighth message, and not published it.
  job.request_slot(1, 0, 7).fill(7, 7, 7, 7);
  job.inject_death(1);
  CHECK(job[0].transport->drain_dead_peer(1, 3) == 3);
  CHECK(job[0].transport->drain_dead_peer(1, 3) == 3);
  CHECK(job[0].transport->drain_dead_peer(1, 3) == 1);
  CHECK(job[0].transport->drain_dead_peer(1, 3) == 0);
  CHECK(handled_words(job[0], silent) == words{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE(
    "the same if it died before it signalled a quiet ring, or before its arrival was handled") {
  shm_job job(3, 64, 64);
  REQUIRE(job[1].send(0, silent, 1));
  REQUIRE(job[0].poll() == 1);
  (void)job[0].transport->arm();
  // The dead rank has cleared the flag of the sleeping rank, and has not woken it.
  job.control_block(0).asleep = 0;
  REQUIRE(job[1].send(0, silent, 2));
  job.control_block(0).attention = 0;
  REQUIRE(job[2].send(0, silent, 3));
  job.control_block(0).attention = 0;
  CHECK(job[0].transport->drain_dead_peer(1, 9) == 1);
  CHECK(job[0].transport->drain_dead_peer(2, 9) == 1);
  CHECK(handled_words(job[0], silent) == words{1, 2, 3});
}

TEST_CASE("a reply that was published before the death is delivered, and its request is answered") {
  shm_job job(2, 64, 64);
  for (am_word i = 0; i < 4; ++i) REQUIRE(job[0].send(1, replying, i));
  REQUIRE(job[1].poll(1, 2) == 2);
  const lost_requests lost = retire_peer(job, 0, 1);
  CHECK(handled_words(job[0], replied) == words{0, 1});
  CHECK(lost.unknown.empty());
  CHECK(lost.not_run == words{2, 3});
}

TEST_CASE("a rank that never polled has run nothing") {
  shm_job job(2, 16, 64);
  for (am_word i = 0; i < 16; ++i) REQUIRE(job[0].send(1, replying, i));
  const lost_requests lost = retire_peer(job, 0, 1);
  CHECK(lost.unknown.empty());
  CHECK(lost.not_run.size() == 16);
}

TEST_CASE("a request whose handler had begun is unknown, and those behind it have not run") {
  shm_job job(2, 64, 64);
  for (am_word i = 0; i < 8; ++i) REQUIRE(job[0].send(1, i % 2 == 0 ? silent : replying, i));
  REQUIRE(job[1].poll(1, 4) == 4);  // requests 0 and 2 are not published as handled
  job.channel(0, 1).begun = 5;      // the fifth request has begun
  const lost_requests lost = retire_peer(job, 0, 1);
  CHECK(handled_words(job[0], replied) == words{1, 3});
  CHECK(lost.unknown == words{4});
  CHECK(lost.not_run == words{5, 6, 7});
}

TEST_CASE("silent requests that were handled but not counted are unknown") {
  shm_job job(2, 64, 64);
  REQUIRE(job[0].send(1, replying, 0));
  for (am_word i = 1; i < 6; ++i) REQUIRE(job[0].send(1, silent, i));
  REQUIRE(job[1].poll(1, 4) == 4);
  const lost_requests lost = retire_peer(job, 0, 1);
  CHECK(lost.unknown == words{1, 2, 3});
  CHECK(lost.not_run == words{4, 5});
}

TEST_CASE("a returned request accounts for the silent requests before it, too") {
  shm_job job(2, 64, 64);
  REQUIRE(job[0].send(1, silent, 0));
  REQUIRE(job[0].send(1, missing, 1));
  REQUIRE(job[0].send(1, silent, 2));
  REQUIRE(job[1].poll(1, 2) == 2);
  const lost_requests lost = retire_peer(job, 0, 1);
  CHECK(handled_words(job[0], missing) == words{1});
  CHECK(lost.unknown.empty());
  CHECK(lost.not_run == words{2});
}

TEST_CASE("a payload returns with its request") {
  shm_job job(2, 64, 64);
  REQUIRE(job[0].send_medium(1, 1, 100) == AM_OK);
  REQUIRE(job[0].send(1, silent, 2));
  const lost_requests lost = retire_peer(job, 0, 1);
  CHECK(lost.not_run == words{1, 2});
  CHECK(lost.bytes == std::vector<std::size_t>{100, 0});
}

TEST_CASE("an old reply does not account for later silent requests") {
  // Less than half of the range of 16 bits, more than half, nearly all and more than all of it.
  for (const unsigned many : {30000U, 40000U, 65000U, 70000U}) {
    CAPTURE(many);
    shm_job job(2, 1024, 2048);
    REQUIRE(job[0].send(1, replying, 0));
    REQUIRE(job[1].poll(2) == 1);
    REQUIRE(job[0].poll() == 1);
    const auto let_all_run = [&] {  // the rings grow too
      job[0].to(1).refresh_credits();
      while (job[1].poll() != 0) continue;
      (void)job[0].poll();
      job[0].to(1).refresh_credits();
      REQUIRE(job[0].to(1).credits.in_flight() == 0);
    };
    for (am_word i = 0; i < many; ++i) {
      if (job[0].to(1).credits.free() == 0) let_all_run();
      REQUIRE(job[0].send(1, silent, i));
    }
    let_all_run();
    for (am_word i = 0; i < 600; ++i) REQUIRE(job[0].send(1, silent, i));
    const lost_requests lost = retire_peer(job, 0, 1);
    CHECK(lost.not_run.size() == 600);
    CHECK(lost.unknown.empty());
  }
}

TEST_CASE("a death during growth, before and after every step on either side") {
  // 0: the target has not followed. 1: it has, and the requester has not noticed. 2: both have.
  for (const unsigned step : {0U, 1U, 2U}) {
    CAPTURE(step);
    shm_job job(2, 4096, 4096);
    am_word sent = 0;
    while (job[0].send(1, silent, sent)) ++sent;
    (void)job[1].poll(1, 20);
    job[0].to(1).refresh_credits();  // counts some, or starts growth
    while (job[0].to(1).credits.free() != 0) REQUIRE(job[0].send(1, silent, sent++));
    job[0].to(1).refresh_credits();
    if (step > 0) (void)job[1].poll(40, 1);
    if (step > 1) (void)job[0].poll();
    while (job[0].send(1, replying, sent)) ++sent;
    const words handled = handled_words(job[1], silent);
    const lost_requests lost = retire_peer(job, 0, 1);
    // The youngest ones, in order, up to the last that was sent.
    words both = lost.unknown;
    both.insert(both.end(), lost.not_run.begin(), lost.not_run.end());
    for (std::size_t i = 0; i < both.size(); ++i) CHECK(both[i] == sent - both.size() + i);
    CHECK(both.size() >= sent - handled.size());
    for (const am_word word : lost.not_run)
      CHECK(std::find(handled.begin(), handled.end(), word) == handled.end());
  }
}

TEST_CASE("a requester that died while it grew its ring: what it had published is delivered") {
  shm_job job(2, 4096, 4096);
  am_word sent = 0;
  while (job[1].send(0, silent, sent)) ++sent;
  job[1].to(0).refresh_credits();  // publishes its growth, and nothing after it
  while (job[0].transport->drain_dead_peer(1, 10) == 10) continue;
  CHECK(job[0].seen.all.size() == sent);
}

TEST_CASE("at any point of any traffic every request is accounted for once") {
  std::mt19937 random(20261121);
  for (unsigned trial = 0; trial < 400; ++trial) {
    CAPTURE(trial);
    const std::uint32_t window = 1U << random() % 9;
    const std::uint32_t slots = 2U << random() % 9;
    shm_job job(2, window, slots);
    am_word sent = 0;
    for (unsigned steps = random() % 400; steps != 0; --steps) {
      const unsigned what = random() % 8;
      if (what < 5) {
        for (unsigned many = random() % 20; many != 0; --many) {
          if (job[0].to(1).credits.free() == 0) job[0].to(1).refresh_credits();
          sent += job[0].send(1,
                              random() % 10 == 0 ? missing
                              : random() % 2     ? silent
                                                 : replying,
                              sent);
        }
      } else if (what < 7) {
        (void)job[1].poll(1, 1 + random() % 9);
      } else {
        (void)job[0].poll(1, 1 + random() % 9);
      }
    }
    const lost_requests lost = retire_peer(job, 0, 1);
    std::set<am_word> ran;
    for (const recorder::handler_run& one : job[1].seen.all) REQUIRE(ran.insert(one.word).second);
    std::set<am_word> accounted;
    for (const recorder::handler_run& one : job[0].seen.all)
      REQUIRE(accounted.insert(one.word).second);
    for (const am_word word : lost.unknown) REQUIRE(accounted.insert(word).second);
    for (const am_word word : lost.not_run) {
      REQUIRE(accounted.insert(word).second);
      REQUIRE(!ran.contains(word));
    }
    for (am_word word = 0; word < sent; ++word)
      if (!accounted.contains(word)) REQUIRE(ran.contains(word));
  }
}

}  // namespace protocol_shm_deaths
