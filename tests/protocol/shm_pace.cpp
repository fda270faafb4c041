// When the shm poller takes what has come, seen from outside: whatever it waits for in a flood, a
// message that is there is never left lying.
#include "shm_steps.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace am_test;

namespace {

// Puts rank 0 into the middle of a flood from rank 1, with nothing left to deliver.
void flood(shm_job& job, unsigned bursts, unsigned size) {
  for (unsigned burst = 0; burst < bursts; ++burst) {
    for (unsigned i = 0; i < size; ++i) {
      if (!job[1].send(0, silent, i)) job[1].to(0).refresh();
    }
    while (job[0].poll() != 0) {
    }
    job[1].to(0).refresh();
    job[1].poll();
  }
}

}  // namespace

TEST_CASE("a lone message is delivered by the first poll, however long nothing came") {
  shm_job job(2, 64, 256);
  for (unsigned idle : {0U, 1U, 2U, 3U, 10U, 100U, 1000U, 3000U}) {
    for (unsigned i = 0; i < 30; ++i) {
      CAPTURE(idle);
      REQUIRE(job[0].poll(idle) == 0);
      REQUIRE(job[1].send(0, silent, i));
      REQUIRE(job[0].poll() == 1);
      job[0].poll();
      job[1].to(0).refresh();
    }
  }
}

TEST_CASE(
    "what a flood leaves behind is delivered by the next poll, whether its writer pauses or not") {
  for (const std::uint32_t window : {1U, 2U, 16U, 4096U}) {
    for (unsigned size : {1U, 5U, 16U, 60U}) {
      for (unsigned rest = 1; rest < 4; ++rest) {
        for (const bool pauses : {false, true}) {
          CAPTURE(window);
          CAPTURE(size);
          CAPTURE(rest);
          CAPTURE(pauses);
          shm_job job(2, window, 256);
          flood(job, 8, size);
          unsigned sent = 0;
          while (sent < rest && job[1].send(0, silent, 0)) ++sent;
          REQUIRE(sent > 0);
          if (pauses) job[1].poll(2);
          REQUIRE(job[0].poll() == sent);
        }
      }
    }
  }
}

TEST_CASE("round trips at full speed each take one poll at either end, before and after a flood") {
  shm_job job(2, 64, 256);
  for (unsigned round = 0; round < 3; ++round) {
    for (am_word i = 0; i < 100; ++i) {
      REQUIRE(job[1].send(0, asking, i));
      REQUIRE(job[0].poll() == 1);
      REQUIRE(job[1].poll() == 1);
    }
    flood(job, 8, 40);
  }
}

TEST_CASE("a rank that only sends hears what comes, in a flood and after it") {
  shm_job job(2, 4096, 4096);
  flood(job, 8, 40);
  const std::size_t before = job[0].seen.all.size();
  const unsigned rest = 3;
  for (unsigned i = 0; i < rest; ++i) REQUIRE(job[1].send(0, silent, i));
  am::detail::seam::port& port = job[0].to(1);
  for (unsigned i = 0; i < 5000 && job[0].seen.all.size() < before + rest; ++i) {
    if (port.credits.free() == 0) {
      job[1].poll();
      port.refresh();
      continue;
    }
    port.credits.take();
    port.request(silent, i, 0, 0, 0);
  }
  CHECK(job[0].seen.all.size() == before + rest);
}

TEST_CASE("part of a burst is not left lying behind a ring that never ends") {
  shm_job job(3, 4096, 64);
  node& target = job[0];
  node& busy = job[1];
  node& meek = job[2];
  for (int i = 0; i < 8; ++i) REQUIRE(meek.send(0, silent, 1));
  target.poll();
  meek.poll(10);
  for (int i = 0; i < 3; ++i) REQUIRE(meek.send(0, silent, 2));
  meek.poll(10);
  const auto served = [&] {
    return std::ranges::any_of(target.seen.all,
                               [](const auto& m) { return m.source == 2 && m.word == 2; });
  };
  unsigned polls = 0;
  for (; polls < 1000 && !served(); ++polls) {
    target.seen.all.clear();
    busy.to(0).refresh();
    while (busy.send(0, silent, 9)) {
    }
    target.poll();
  }
  CHECK(polls < 1000);
}
