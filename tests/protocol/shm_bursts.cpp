// When the shm poller takes messages, seen from outside: in a flood it may wait for more, but a
// message that was published is always delivered.
#include "shm_job.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>

namespace protocol_shm_bursts {

using namespace am_test;

namespace {

// Puts rank 0 in the middle of a flood from rank 1, with no message left to deliver.
void flood(shm_job& job, unsigned bursts, unsigned size) {
  for (unsigned burst = 0; burst < bursts; ++burst) {
    for (unsigned i = 0; i < size; ++i) {
      if (!job[1].send(0, silent, i)) job[1].to(0).refresh_credits();
    }
    while (job[0].poll() != 0) {
    }
    job[1].to(0).refresh_credits();
    job[1].poll();
  }
}

}  // namespace

// The marks are read after every message, the pauses written after every lone one.
TEST_CASE("a pause does not take the cache line that a sender reads to decide whether to signal") {
  using am::detail::shm::channel_state;
  const auto pair_of = [](std::size_t offset) {
    return offset / am::detail::base::cache_line_pair_bytes;
  };
  const std::size_t replies_paused = pair_of(offsetof(channel_state, replies_paused));
  const std::size_t requests_paused = pair_of(offsetof(channel_state, requests_paused));
  for (const std::size_t mark : {pair_of(offsetof(channel_state, requests_quiet)),
                                 pair_of(offsetof(channel_state, replies_quiet))}) {
    CHECK(mark != replies_paused);
    CHECK(mark != requests_paused);
  }
}

TEST_CASE("a lone message is delivered by the first poll after any idle time") {
  shm_job job(2, 64, 256);
  for (unsigned idle : {0U, 1U, 2U, 3U, 10U, 100U, 1000U, 3000U}) {
    for (unsigned i = 0; i < 30; ++i) {
      CAPTURE(idle);
      REQUIRE(job[0].poll(idle) == 0);
      REQUIRE(job[1].send(0, silent, i));
      REQUIRE(job[0].poll() == 1);
      job[0].poll();
      job[1].to(0).refresh_credits();
    }
  }
}

TEST_CASE("the rest of a flood is delivered by the next poll, whether its writer pauses or not") {
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

TEST_CASE("round trips at full speed take one poll at either end, before and after a flood") {
  shm_job job(2, 64, 256);
  for (unsigned round = 0; round < 3; ++round) {
    for (am_word i = 0; i < 100; ++i) {
      REQUIRE(job[1].send(0, replying, i));
      REQUIRE(job[0].poll() == 1);
      REQUIRE(job[1].poll() == 1);
    }
    flood(job, 8, 40);
  }
}

TEST_CASE("a rank that only sends handles messages, in a flood and after it") {
  shm_job job(2, 4096, 4096);
  flood(job, 8, 40);
  const std::size_t before = job[0].seen.all.size();
  const unsigned rest = 3;
  for (unsigned i = 0; i < rest; ++i) REQUIRE(job[1].send(0, silent, i));
  am::detail::seam::port& port = job[0].to(1);
  for (unsigned i = 0; i < 5000 && job[0].seen.all.size() < before + rest; ++i) {
    if (port.credits.free() == 0) {
      job[1].poll();
      port.refresh_credits();
      continue;
    }
    job[0].request(1, i);
  }
  CHECK(job[0].seen.all.size() == before + rest);
}

// As in a program that packs messages itself: it sends, and every send checks for messages.
TEST_CASE(
    "two ranks that flood each other with mediums handle messages before their room is full") {
  for (const std::uint32_t bytes : {65536U, 40000U, 16384U, 4096U, 1024U}) {
    CAPTURE(bytes);
    shm_job job(2, 256, 256, std::max(bytes, 16384U));
    for (unsigned sent = 0; sent < 500; ++sent) {
      for (const am_rank rank : {0U, 1U}) {
        REQUIRE(job[rank].to(1 - rank).credits.free() != 0);
        job[rank].to(1 - rank).poll_once();
        REQUIRE(job[rank].send_medium(1 - rank, sent, bytes) == AM_OK);
      }
      job[0].to(1).refresh_credits();
      job[1].to(0).refresh_credits();
    }
  }
}

TEST_CASE("the room of a pair whose mediums fill it grows, up to its limit") {
  for (const std::uint32_t largest : {8192U, 16384U, 20000U, 65536U}) {
    CAPTURE(largest);
    const am::detail::wire::payload_sizes payloads(largest);
    shm_job job(2, 256, 256, largest);
    const auto fill = [&] {
      unsigned sent = 0;
      while (job[1].send_medium(0, sent, largest) == AM_OK) ++sent;
      while (job[0].poll() != 0) {
      }
      job[1].to(0).refresh_credits();
      return sent;
    };
    CHECK(fill() == payloads.room() / largest);
    unsigned most = 0;
    for (unsigned times = 0; times < 10; ++times) most = std::max(most, fill());
    CHECK(most == payloads.most_room() / largest);
  }
}

// Sends until enough checks have found nothing, so that a run starts.
void start_run(shm_rank& sender, am_rank to) {
  for (unsigned i = 0; i < 40; ++i) sender.request(to, i);
  REQUIRE(sender.to(to).credits.take_from_run());
  sender.to(to).credits.put_back();
}

TEST_CASE("a run arrives whole and in order, and the reader learns of its pauses") {
  shm_job job(2, 4096, 4096);
  start_run(job[0], 1);
  const std::uint32_t pauses = job.channel(0, 1).requests_paused;
  job[0].poll();
  CHECK(job.channel(0, 1).requests_paused == pauses + 1);
  job[0].request(1, 40);
  job[0].poll();
  CHECK(job.channel(0, 1).requests_paused == pauses + 2);
  while (job[1].poll() != 0) {
  }
  REQUIRE(job[1].seen.all.size() == 41);
  for (am_word i = 0; i < 41; ++i) CHECK(job[1].seen.all[i].word == i);
}

TEST_CASE("a pause ends the run; its poll replaces the check of the next request only") {
  shm_job job(2, 4096, 4096);
  start_run(job[0], 1);
  job[0].poll();
  CHECK_FALSE(job[0].to(1).credits.take_from_run());
  REQUIRE(job[1].send(0, silent, 9));
  unsigned requests = 0;
  while (job[0].seen.all.empty()) {
    job[0].request(1, 0);
    REQUIRE(++requests <= 9);
  }
  CHECK(requests == 9);  // the one after the pause, its run of seven, and one with a check
}

TEST_CASE("the request with the last credit is flagged, after a run too") {
  shm_job job(2, 50, 64);
  start_run(job[0], 1);
  while (job[0].to(1).credits.free() != 0) job[0].request(1, 0);
  REQUIRE(job[1].poll(1, 40) == 40);
  REQUIRE(job.channel(0, 1).silent == 40);
  // Less than a quarter of the window, and a poll that finds something: it publishes only because
  // of the flag.
  REQUIRE(job[1].poll(1, 10) == 10);
  CHECK(job.channel(0, 1).silent == 50);
}

TEST_CASE("part of a burst is delivered though another ring never becomes empty") {
  shm_job job(3, 4096, 64);
  shm_rank& target = job[0];
  shm_rank& busy = job[1];
  shm_rank& slow = job[2];
  for (int i = 0; i < 8; ++i) REQUIRE(slow.send(0, silent, 1));
  target.poll();
  slow.poll(10);
  for (int i = 0; i < 3; ++i) REQUIRE(slow.send(0, silent, 2));
  slow.poll(10);
  const auto served = [&] {
    return std::ranges::any_of(target.seen.all,
                               [](const auto& m) { return m.source == 2 && m.word == 2; });
  };
  unsigned polls = 0;
  for (; polls < 1000 && !served(); ++polls) {
    target.seen.all.clear();
    busy.to(0).refresh_credits();
    while (busy.send(0, silent, 9)) {
    }
    target.poll();
  }
  CHECK(polls < 1000);
}

}  // namespace protocol_shm_bursts
