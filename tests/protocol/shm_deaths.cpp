// The shm transport step by step: a peer that died between any two of its steps.
#include "shm_steps.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

using namespace am_test;
namespace seam = am::detail::seam;
namespace shm = am::detail::shm;

namespace {

// What comes back from a dead peer.
struct losses final : seam::mourner {
  [[nodiscard]] bool has_died(am_rank) const noexcept override { return true; }
  std::vector<am_word> certain;  // have not run
  std::vector<am_word> unknown;
  std::vector<std::size_t> bytes;
  void lost(am_rank, const seam::lost_request& request) noexcept override {
    (request.unknown ? unknown : certain).push_back(request.words[0]);
    bytes.push_back(request.bytes);
  }
};

using words = std::vector<am_word>;

// As core does: hears of it in a poll, hears the last words, and gives the port up.
losses bury(shm_job& job, am_rank survivor, am_rank dead) {
  job.tell_of_death(dead);
  (void)job[survivor].poll(2);
  REQUIRE(job[survivor].seen.deaths == std::vector<am_rank>{dead});
  while (job[survivor].transport->last_words(dead, 3) == 3) continue;
  losses all;
  job[survivor].to(dead).give_up(all);
  return all;
}

words run_at(node& at, std::uint32_t handler) {
  words all;
  for (const recorder::ran& one : at.seen.all)
    if (one.handler == handler) all.push_back(one.word);
  return all;
}

}  // namespace

TEST_CASE("a death is heard once, by every other rank, in its next poll") {
  shm_job job(3, 16, 64);
  CHECK(job[0].poll(10) == 0);
  job.tell_of_death(1);
  for (const am_rank other : {0U, 2U}) {
    CHECK(job[other].seen.deaths.empty());
    CHECK(job[other].poll() == 0);
    CHECK(job[other].seen.deaths == std::vector<am_rank>{1});
    CHECK(job[other].poll(10) == 0);
    CHECK(job[other].seen.deaths.size() == 1);
  }
  job.tell_of_death(0);
  CHECK(job[2].poll() == 0);
  CHECK(job[2].seen.deaths == std::vector<am_rank>{1, 0});
}

TEST_CASE("a rank that has been told does not fall asleep before it has looked") {
  shm_job job(2, 16, 64);
  at_barrier = [&] { job.tell_of_death(1); };
  CHECK(job[0].transport->arm() == std::chrono::nanoseconds::zero());
  CHECK(job[0].poll() == 0);
  CHECK(job[0].seen.deaths == std::vector<am_rank>{1});
}

TEST_CASE("what the dead rank had published is delivered, and nothing else") {
  shm_job job(2, 64, 64);
  for (am_word i = 0; i < 7; ++i) REQUIRE(job[1].send(0, silent, i));
  // It had written the words of an eighth, and not published it.
  job.request_slot(1, 0, 7).fill(7, 7, 7, 7);
  job.tell_of_death(1);
  CHECK(job[0].transport->last_words(1, 3) == 3);
  CHECK(job[0].transport->last_words(1, 3) == 3);
  CHECK(job[0].transport->last_words(1, 3) == 1);
  CHECK(job[0].transport->last_words(1, 3) == 0);
  CHECK(run_at(job[0], silent) == words{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("also where it died before it could knock at a quiet ring, or after its arrival") {
  shm_job job(3, 64, 64);
  REQUIRE(job[1].send(0, silent, 1));
  REQUIRE(job[0].poll() == 1);
  (void)job[0].transport->arm();
  job.door(0).asleep = 0;  // the dead rank has taken the sleeper's flag, and has not rung
  REQUIRE(job[1].send(0, silent, 2));
  job.door(0).attention = 0;
  REQUIRE(job[2].send(0, silent, 3));
  job.door(0).attention = 0;
  CHECK(job[0].transport->last_words(1, 9) == 1);
  CHECK(job[0].transport->last_words(2, 9) == 1);
  CHECK(run_at(job[0], silent) == words{1, 2, 3});
}

TEST_CASE("a reply that was published before the death is delivered, and its request is answered") {
  shm_job job(2, 64, 64);
  for (am_word i = 0; i < 4; ++i) REQUIRE(job[0].send(1, asking, i));
  REQUIRE(job[1].poll(1, 2) == 2);
  const losses lost = bury(job, 0, 1);
  CHECK(run_at(job[0], answered) == words{0, 1});
  CHECK(lost.unknown.empty());
  CHECK(lost.certain == words{2, 3});
}

TEST_CASE("to a rank that never looked nothing has run") {
  shm_job job(2, 16, 64);
  for (am_word i = 0; i < 16; ++i) REQUIRE(job[0].send(1, asking, i));
  const losses lost = bury(job, 0, 1);
  CHECK(lost.unknown.empty());
  CHECK(lost.certain.size() == 16);
}

TEST_CASE("the request whose handler had begun is unknown, and those behind it have not run") {
  shm_job job(2, 64, 64);
  for (am_word i = 0; i < 8; ++i) REQUIRE(job[0].send(1, i % 2 == 0 ? silent : asking, i));
  REQUIRE(job[1].poll(1, 4) == 4);  // 0 and 2 are not counted in public
  job.lines(0, 1).begun = 5;        // the fifth request has begun
  const losses lost = bury(job, 0, 1);
  CHECK(run_at(job[0], answered) == words{1, 3});
  CHECK(lost.unknown == words{4});
  CHECK(lost.certain == words{5, 6, 7});
}

TEST_CASE("silent requests that were handled and not counted are unknown") {
  shm_job job(2, 64, 64);
  REQUIRE(job[0].send(1, asking, 0));
  for (am_word i = 1; i < 6; ++i) REQUIRE(job[0].send(1, silent, i));
  REQUIRE(job[1].poll(1, 4) == 4);
  const losses lost = bury(job, 0, 1);
  CHECK(lost.unknown == words{1, 2, 3});
  CHECK(lost.certain == words{4, 5});
}

TEST_CASE("what was given back tells of silent requests, too") {
  shm_job job(2, 64, 64);
  REQUIRE(job[0].send(1, silent, 0));
  REQUIRE(job[0].send(1, missing, 1));
  REQUIRE(job[0].send(1, silent, 2));
  REQUIRE(job[1].poll(1, 2) == 2);
  const losses lost = bury(job, 0, 1);
  CHECK(run_at(job[0], missing) == words{1});
  CHECK(lost.unknown.empty());
  CHECK(lost.certain == words{2});
}

TEST_CASE("payload comes back with its request") {
  shm_job job(2, 64, 64);
  REQUIRE(job[0].send_medium(1, 1, 100) == AM_OK);
  REQUIRE(job[0].send(1, silent, 2));
  const losses lost = bury(job, 0, 1);
  CHECK(lost.certain == words{1, 2});
  CHECK(lost.bytes == std::vector<std::size_t>{100, 0});
}

TEST_CASE("a reply of long ago says nothing of silent requests since") {
  // Short of half of what 16 bits can tell apart, past that, nearly and quite past all of it.
  for (const unsigned many : {30000U, 40000U, 65000U, 70000U}) {
    CAPTURE(many);
    shm_job job(2, 1024, 2048);
    REQUIRE(job[0].send(1, asking, 0));
    REQUIRE(job[1].poll(2) == 1);
    REQUIRE(job[0].poll() == 1);
    const auto let_all_run = [&] {  // and the rings grow
      job[0].to(1).refresh();
      while (job[1].poll() != 0) continue;
      (void)job[0].poll();
      job[0].to(1).refresh();
      REQUIRE(job[0].to(1).credits.on_their_way() == 0);
    };
    for (am_word i = 0; i < many; ++i) {
      if (job[0].to(1).credits.free() == 0) let_all_run();
      REQUIRE(job[0].send(1, silent, i));
    }
    let_all_run();
    for (am_word i = 0; i < 600; ++i) REQUIRE(job[0].send(1, silent, i));
    const losses lost = bury(job, 0, 1);
    CHECK(lost.certain.size() == 600);
    CHECK(lost.unknown.empty());
  }
}

TEST_CASE("in the middle of a growth, on either side of every step") {
  // 0: the target has not followed. 1: it has, and the requester has not read of it. 2: both have.
  for (const unsigned step : {0U, 1U, 2U}) {
    CAPTURE(step);
    shm_job job(2, 4096, 4096);
    am_word sent = 0;
    while (job[0].send(1, silent, sent)) ++sent;
    (void)job[1].poll(1, 20);
    job[0].to(1).refresh();  // counts some, or asks for growth
    while (job[0].to(1).credits.free() != 0) REQUIRE(job[0].send(1, silent, sent++));
    job[0].to(1).refresh();
    if (step > 0) (void)job[1].poll(40, 1);
    if (step > 1) (void)job[0].poll();
    while (job[0].send(1, asking, sent)) ++sent;
    const words handled = run_at(job[1], silent);
    const losses lost = bury(job, 0, 1);
    // The youngest, in order, up to the last that was sent.
    words both = lost.unknown;
    both.insert(both.end(), lost.certain.begin(), lost.certain.end());
    for (std::size_t i = 0; i < both.size(); ++i) CHECK(both[i] == sent - both.size() + i);
    CHECK(both.size() >= sent - handled.size());
    for (const am_word word : lost.certain)
      CHECK(std::find(handled.begin(), handled.end(), word) == handled.end());
  }
}

TEST_CASE("a requester that died while it grew its ring: what it had published is delivered") {
  shm_job job(2, 4096, 4096);
  am_word sent = 0;
  while (job[1].send(0, silent, sent)) ++sent;
  job[1].to(0).refresh();  // publishes that it grows, and nothing after it
  while (job[0].transport->last_words(1, 10) == 10) continue;
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
          if (job[0].to(1).credits.free() == 0) job[0].to(1).refresh();
          sent += job[0].send(1,
                              random() % 10 == 0 ? missing
                              : random() % 2     ? silent
                                                 : asking,
                              sent);
        }
      } else if (what < 7) {
        (void)job[1].poll(1, 1 + random() % 9);
      } else {
        (void)job[0].poll(1, 1 + random() % 9);
      }
    }
    const losses lost = bury(job, 0, 1);
    std::set<am_word> ran;
    for (const recorder::ran& one : job[1].seen.all) REQUIRE(ran.insert(one.word).second);
    std::set<am_word> accounted;
    for (const recorder::ran& one : job[0].seen.all) REQUIRE(accounted.insert(one.word).second);
    for (const am_word word : lost.unknown) REQUIRE(accounted.insert(word).second);
    for (const am_word word : lost.certain) {
      REQUIRE(accounted.insert(word).second);
      REQUIRE(!ran.contains(word));
    }
    for (am_word word = 0; word < sent; ++word)
      if (!accounted.contains(word)) REQUIRE(ran.contains(word));
  }
}
