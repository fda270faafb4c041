// The shm transport step by step: when credits return, how rings grow, first contact.
#include "shm_job.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace protocol_shm_credits {

using namespace am_test;

namespace {

// The words that the rank has handled from `source`, in order.
std::vector<am_word> handled_from(shm_rank& at, am_rank source) {
  std::vector<am_word> words;
  for (const recorder::handler_run& one : at.seen.all)
    if (one.source == source) words.push_back(one.word);
  return words;
}

bool counts_up(const std::vector<am_word>& words) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] != i) return false;
  return true;
}

}  // namespace

// ---- which ranks can be reached ----

TEST_CASE("a rank with other shared memory is not reached by it, however similar the two are") {
  shm_job here(2, 16, 64);
  shm_job elsewhere(2, 16, 64);
  const auto reach = [&](const std::vector<std::byte>& address) {
    std::string why;
    const bool reached = here[0].transport->connect(1, address, why) != nullptr;
    return reached ? "" : why;
  };
  CHECK(reach(elsewhere[1].transport->address()) ==
        "rank 1 has another shared memory: it is on another host, or has no access");
  shm_job longer(2, 16, 128);
  CHECK(reach(longer[1].transport->address()).find("AM_SHM_SLOTS") != std::string::npos);
  CHECK(reach({}) == "rank 1 does not use it");
  CHECK(reach(here[1].transport->address()).empty());
}

// ---- credits ----

TEST_CASE("silence is published when it is a quarter of the window, or when a poll finds nothing") {
  shm_job job(2, 16, 64);
  for (am_word i = 0; i < 3; ++i) REQUIRE(job[0].send(1, silent, i));
  CHECK(job[1].poll() == 3);
  job[0].to(1).refresh_credits();
  CHECK(job[0].to(1).credits.free() == 13);
  // A fourth makes a quarter of 16.
  REQUIRE(job[0].send(1, silent, 3));
  CHECK(job[1].poll() == 1);
  job[0].to(1).refresh_credits();
  CHECK(job[0].to(1).credits.free() == 16);
  // A single one is not published until a poll finds nothing.
  REQUIRE(job[0].send(1, silent, 4));
  CHECK(job[1].poll() == 1);
  job[0].to(1).refresh_credits();
  CHECK(job[0].to(1).credits.free() == 15);
  CHECK(job[1].poll() == 0);
  job[0].to(1).refresh_credits();
  CHECK(job[0].to(1).credits.free() == 16);
}

TEST_CASE("the last credit is flagged as such, and pending silence is published at once") {
  for (const std::uint32_t window : {1U, 2U, 16U}) {
    CAPTURE(window);
    shm_job job(2, window, 64);
    for (am_word i = 0; i < window; ++i) REQUIRE(job[0].send(1, silent, i));
    CHECK(!job[0].send(1, silent, 99));
    CHECK(job[1].poll() == window);
    job[0].to(1).refresh_credits();
    CHECK(job[0].to(1).credits.free() == window);
  }
}

TEST_CASE("a reply returns its credit and is not counted as silence") {
  shm_job job(2, 1, 64);
  for (am_word i = 0; i < 300; ++i) {
    REQUIRE(job[0].send(1, replying, i));
    REQUIRE(!job[0].send(1, replying, i));
    REQUIRE(job[1].poll() == 1);
    job[0].to(1).refresh_credits();
    REQUIRE(job[0].to(1).credits.free() == 0);
    REQUIRE(job[0].poll() == 1);
    REQUIRE(job[0].to(1).credits.free() == 1);
    REQUIRE(job[1].poll() == 0);
    job[0].to(1).refresh_credits();
    REQUIRE(job[0].to(1).credits.free() == 1);
  }
  CHECK(counts_up(handled_from(job[0], 1)));
}

TEST_CASE("a returned request returns its credit once") {
  shm_job job(2, 2, 64);
  REQUIRE(job[0].send(1, 700, 5));
  CHECK(job[1].poll() == 1);
  CHECK(job[1].seen.all.empty());
  CHECK(job[0].poll() == 1);
  CHECK(job[0].seen.all == std::vector<recorder::handler_run>{{1, missing, 5, 0}});
  CHECK(job[1].poll() == 0);
  job[0].to(1).refresh_credits();
  CHECK(job[0].to(1).credits.free() == 2);
}

TEST_CASE("payload room is free again when the handler is done, and never overflows") {
  shm_job job(2, 64, 64);
  const std::size_t large = job[0].transport->max_medium();
  unsigned sent = 0;
  // Room that is used up grows with the next payload, up to its limit.
  for (unsigned refused = 0; refused < 2;) {
    const bool accepted = job[0].send_medium(1, sent, large) == AM_OK;
    refused = accepted ? 0 : refused + 1;
    sent += accepted;
  }
  CHECK(sent == am::detail::wire::payload_sizes().most_room() / large);
  CHECK(job[0].send_medium(1, 0, 1) == AM_AGAIN_PAYLOAD);
  CHECK(job[0].to(1).credits.in_flight() == sent);
  CHECK(job[1].poll() == sent);
  CHECK(job[0].send_medium(1, sent++, large) == AM_OK);
  job[1].poll(2);
  CHECK(counts_up(handled_from(job[1], 0)));
  for (const auto& one : job[1].seen.all) CHECK(one.bytes == large);
}

// ---- growth ----

TEST_CASE(
    "a ring grows when its window is used up, and the window only when the target has followed") {
  shm_job job(2, 4096, 256);
  am_word next = 0;
  const auto send_all = [&] {
    std::uint32_t sent = 0;
    for (; job[0].send(1, silent, next); ++next) ++sent;
    return sent;
  };
  CHECK(send_all() == 62);  // of 64: one for the running handler, one for the growth
  job[0].to(1).refresh_credits();
  CHECK(job[0].to(1).credits.limit() == 62);
  job[0].poll();
  CHECK(job[0].to(1).credits.limit() == 62);
  // The target finds the growth behind the last message, and answers it.
  CHECK(job[1].poll(1, 61) == 61);
  job[0].poll();
  CHECK(job[0].to(1).credits.limit() == 62);
  CHECK(job[1].poll(3) == 1);
  CHECK(job[0].poll() == 0);
  CHECK(job[0].to(1).credits.limit() == 126);
  job[0].to(1).refresh_credits();
  CHECK(send_all() == 126);
  job[0].to(1).refresh_credits();
  job[1].poll(10);
  job[0].poll();
  CHECK(job[0].to(1).credits.limit() == 255);  // the last growth needs no slot any more
  job[0].to(1).refresh_credits();
  CHECK(send_all() == 255);
  job[0].to(1).refresh_credits();
  job[1].poll(20);
  job[0].poll();
  CHECK(job[0].to(1).credits.limit() == 255);
  CHECK(handled_from(job[1], 0).size() == next);
  CHECK(counts_up(handled_from(job[1], 0)));
}

TEST_CASE("both rings grow together: the replies of a grown window all fit") {
  shm_job job(2, 4096, 4096);
  am_word next = 0;
  for (unsigned round = 0; round < 12; ++round) {
    while (job[0].send(1, replying, next)) ++next;
    job[0].to(1).refresh_credits();
    // All are handled before one reply is taken.
    while (job[1].poll() != 0) {
    }
    while (job[0].poll() != 0) {
    }
    REQUIRE(job[0].to(1).credits.in_flight() == 0);
  }
  CHECK(job[0].to(1).credits.limit() == 4095);
  CHECK(handled_from(job[0], 1).size() == next);
  CHECK(counts_up(handled_from(job[0], 1)));
  CHECK(counts_up(handled_from(job[1], 0)));
}

TEST_CASE("growth under random steps of both sides loses and reorders nothing") {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    shm_job job(2, 4096, 512);
    std::uint32_t dice = seed * 7919;
    am_word next = 0;
    for (unsigned step = 0; step < 4000; ++step) {
      dice = dice * 1664525 + 1013904223;
      const unsigned amount = dice >> 16 & 63;
      switch (dice >> 29) {
        case 0:
        case 1:
        case 2:
          for (unsigned i = 0; i < amount && job[0].send(1, dice >> 8 & 1, next); ++i) ++next;
          if (job[0].to(1).credits.free() == 0) job[0].to(1).refresh_credits();
          break;
        case 3:
        case 4: job[1].poll(1, 1 + amount); break;
        default: job[0].poll(1, 1 + amount);
      }
    }
    for (unsigned i = 0; i < 100; ++i) {
      job[1].poll();
      job[0].poll();
    }
    job[0].to(1).refresh_credits();
    REQUIRE(job[0].to(1).credits.in_flight() == 0);
    REQUIRE(handled_from(job[1], 0).size() == next);
    REQUIRE(counts_up(handled_from(job[1], 0)));
    const std::vector<am_word> replies = handled_from(job[0], 1);
    REQUIRE(std::is_sorted(replies.begin(), replies.end()));
  }
}

// ---- fairness ----

TEST_CASE("with any budget a ring that is never empty does not starve another") {
  for (const am_rank flooder : {am_rank{1}, am_rank{2}}) {
    for (const unsigned budget : {1U, 4U, 64U}) {
      CAPTURE(flooder);
      CAPTURE(budget);
      shm_job job(3, 4096, 4096);
      REQUIRE(job[1].send(0, silent, 0));
      REQUIRE(job[2].send(0, silent, 0));
      job[0].poll(3);
      const am_rank other = 3 - flooder;
      REQUIRE(job[other].send(0, silent, 1));
      for (unsigned poll = 0; poll < 50; ++poll) {
        while (job[flooder].send(0, silent, 7)) {
        }
        job[flooder].to(0).refresh_credits();
        job[flooder].poll();
        job[0].poll(1, budget);
      }
      CHECK(handled_from(job[0], other) == std::vector<am_word>{0, 1});
    }
  }
}

// ---- first contact ----

TEST_CASE("a message that arrived before its target's first poll is found") {
  shm_job job(3, 8, 64);
  REQUIRE(job[1].send(0, silent, 10));
  REQUIRE(job[2].send(0, replying, 20));
  CHECK(job[0].poll(2) == 2);
  CHECK(handled_from(job[0], 1) == std::vector<am_word>{10});
  CHECK(handled_from(job[0], 2) == std::vector<am_word>{20});
  CHECK(job[2].poll() == 1);
}

TEST_CASE("simultaneous first contact makes two channels, and both work") {
  shm_job job(2, 8, 64);
  REQUIRE(job[0].send(1, replying, 1));
  REQUIRE(job[1].send(0, replying, 2));
  CHECK(job[0].poll(2) == 1);
  CHECK(job[1].poll(2) == 2);
  CHECK(job[0].poll(2) == 1);
  CHECK(job[0].seen.all ==
        std::vector<recorder::handler_run>{{1, replying, 2, 0}, {1, replied, 1, 0}});
}

TEST_CASE("all ranks that make contact one after another between polls are accepted") {
  shm_job job(6, 8, 64);
  for (const unsigned at_once : {1U, 2U}) {
    for (am_rank from = at_once; from < 6; from += 2) REQUIRE(job[from].send(0, silent, from));
    job[0].poll(3);
    for (am_rank from = at_once; from < 6; from += 2)
      CHECK(handled_from(job[0], from) == std::vector<am_word>{from});
  }
}

TEST_CASE("a rank with another memory layout is refused, by name") {
  shm_job job(2, 8, 64);
  shm_job other(2, 8, 128);
  std::string why;
  CHECK(job[0].transport->connect(1, other[1].transport->address(), why) == nullptr);
  CHECK(why.find("AM_SHM_SLOTS") != std::string::npos);
}

TEST_CASE("ranks with different rings do not share memory, even where both take equal room") {
  shm_job of_64(2, 16, 64);
  shm_job of_2(2, 16, 2);
  std::string why;
  CHECK(of_64[0].transport->connect(1, of_2[1].transport->address(), why) == nullptr);
  CHECK(why.find("AM_SHM_SLOTS") != std::string::npos);
  CHECK(of_64[0].transport->connect(1, {}, why) == nullptr);
  CHECK(why.find("does not use it") != std::string::npos);
}

}  // namespace protocol_shm_credits
