// The arithmetic of credits, as tables around the places where 16 and 32 bits wrap.
#include <libam/seam/credits.hpp>

#include <doctest/doctest.h>

#include <array>
#include <limits>

using am::detail::seam::owed_counter;
using am::detail::seam::sender_credits;

namespace {

// Where counters start so that they cross an edge within a few steps.
constexpr std::array<std::uint32_t, 9> edges{
    0,          1,          0xfffe,
    0xffff,     0x10000,    0x7ffffffe,
    0x7fffffff, 0xfffffffe, std::numeric_limits<std::uint32_t>::max()};
constexpr std::array<std::uint32_t, 6> windows{1, 2, 3, 7, 64, 4096};

// A requester that has seen `silent` so far and has nothing on its way.
sender_credits credits_at(std::uint32_t silent, std::uint32_t window) {
  sender_credits credits;
  credits.silent_read(silent);
  (void)credits.shut();
  credits.raise_limit(window);
  return credits;
}

owed_counter owed_at(std::uint32_t value, std::uint32_t window) {
  owed_counter owed(window);
  owed.move_to(value);
  owed.published();
  return owed;
}

}  // namespace

TEST_CASE("a fresh sender has nothing until its limit is raised") {
  sender_credits credits;
  CHECK(credits.free() == 0);
  CHECK(credits.limit() == 0);
  credits.raise_limit(3);
  CHECK(credits.free() == 3);
  CHECK(credits.on_their_way() == 0);
}

TEST_CASE("what is taken comes home once, by reply or by silence, across every edge") {
  for (const std::uint32_t start : edges) {
    for (const std::uint32_t window : windows) {
      CAPTURE(start);
      CAPTURE(window);
      sender_credits credits = credits_at(start, window);
      std::uint32_t silent = start;
      for (unsigned round = 0; round < 6; ++round) {
        for (std::uint32_t i = 0; i < window; ++i) credits.take();
        REQUIRE(credits.free() == 0);
        REQUIRE(credits.on_their_way() == window);
        const std::uint32_t answered = window * round / 5;
        for (std::uint32_t i = 0; i < answered; ++i) credits.replies_consumed(1);
        REQUIRE(credits.free() == answered);
        silent += window - answered;
        credits.silent_read(silent);
        REQUIRE(credits.free() == window);
        // Read again, nothing new has come home.
        credits.silent_read(silent);
        REQUIRE(credits.free() == window);
      }
    }
  }
}

TEST_CASE("silence that is read in parts adds up to the same") {
  for (const std::uint32_t start : edges) {
    sender_credits credits = credits_at(start, 64);
    for (unsigned i = 0; i < 64; ++i) credits.take();
    for (std::uint32_t home = 1; home <= 64; ++home) {
      credits.silent_read(start + home);
      REQUIRE(credits.free() == home);
    }
  }
}

TEST_CASE("a credit that was taken for nothing goes back") {
  sender_credits credits = credits_at(0, 2);
  credits.take();
  credits.put_back();
  CHECK(credits.free() == 2);
}

TEST_CASE("a wider window adds what is new, whatever is on its way") {
  sender_credits credits = credits_at(0xffffffff, 2);
  credits.take();
  credits.take();
  credits.raise_limit(5);
  CHECK(credits.free() == 3);
  CHECK(credits.on_their_way() == 2);
  credits.silent_read(0);
  CHECK(credits.free() == 4);
  credits.replies_consumed(1);
  CHECK(credits.free() == 5);
}

TEST_CASE("a run is made of free credits, all but the last") {
  for (const std::uint32_t window : windows) {
    CAPTURE(window);
    sender_credits credits = credits_at(7, window);
    CHECK_FALSE(credits.take_from_run());
    credits.start_run(5);
    CHECK(credits.free() == window);
    std::uint32_t taken = 0;
    while (credits.take_from_run()) ++taken;
    CHECK(taken == std::min(5U, window - 1));
    CHECK(credits.free() == window - taken);
    CHECK(credits.on_their_way() == taken);
  }
}

TEST_CASE("a window that is used up has no run, and one that reopens none of its own accord") {
  sender_credits credits = credits_at(7, 1);
  credits.take();
  credits.start_run(5);
  CHECK_FALSE(credits.take_from_run());
  CHECK(credits.free() == 0);
  credits.replies_consumed(1);
  CHECK_FALSE(credits.take_from_run());
  CHECK(credits.free() == 1);
}

TEST_CASE("a credit is taken if there is one, and a run with it") {
  sender_credits credits = credits_at(7, 2);
  credits.start_run(1);
  CHECK(credits.take_if_free());
  CHECK_FALSE(credits.take_from_run());
  CHECK(credits.take_if_free());
  CHECK_FALSE(credits.take_if_free());
  CHECK(credits.on_their_way() == 2);
}

TEST_CASE("hidden credits are not free and not on their way, until they are shown") {
  sender_credits credits = credits_at(7, 8);
  const std::uint64_t sent_before = credits.sent();
  credits.take();
  credits.take();
  credits.start_run(3);
  credits.hide_free();
  CHECK(credits.free() == 0);
  CHECK_FALSE(credits.take_from_run());
  CHECK_FALSE(credits.take_if_free());
  CHECK(credits.on_their_way() == 2);
  CHECK(credits.sent() == sent_before + 2);
  CHECK(credits.limit() == 8);
  credits.replies_consumed(1);
  CHECK(credits.free() == 1);
  CHECK(credits.in_order());
  credits.hide_free();
  CHECK(credits.free() == 0);
  credits.raise_limit(10);
  CHECK(credits.free() == 2);
  CHECK(credits.limit() == 10);
  CHECK(credits.on_their_way() == 1);
  credits.show_hidden();
  CHECK(credits.free() == 9);
  CHECK(credits.limit() == 10);
  credits.show_hidden();
  CHECK(credits.free() == 9);
  CHECK(credits.sent() == sent_before + 2);
}

TEST_CASE("answers to nothing are seen though credits are hidden") {
  sender_credits credits = credits_at(7, 8);
  credits.take();
  credits.hide_free();
  credits.replies_consumed(3);
  CHECK_FALSE(credits.in_order());
  CHECK(credits.surplus() == 2);
}

TEST_CASE("an account that is shut has nothing hidden") {
  sender_credits credits = credits_at(7, 8);
  credits.take();
  credits.hide_free();
  CHECK(credits.shut() == 1);
  credits.show_hidden();
  CHECK(credits.free() == 0);
  CHECK(credits.limit() == 0);
}

TEST_CASE("taking a credit otherwise ends the run, and so does whoever says so") {
  sender_credits credits = credits_at(7, 64);
  credits.start_run(5);
  REQUIRE(credits.take_from_run());
  credits.take();
  CHECK_FALSE(credits.take_from_run());
  CHECK(credits.free() == 62);
  credits.start_run(5);
  credits.end_run();
  CHECK_FALSE(credits.take_from_run());
  CHECK(credits.free() == 62);
  credits.start_run(5);
  CHECK(credits.shut() == 2);
  CHECK_FALSE(credits.take_from_run());
}

TEST_CASE("shut says what was on its way and leaves nothing to take") {
  sender_credits credits = credits_at(7, 9);
  credits.take();
  credits.take();
  CHECK(credits.shut() == 2);
  CHECK(credits.free() == 0);
  CHECK(credits.on_their_way() == 0);
}

TEST_CASE("what is owed is due when it has grown by a quarter of the window, at least one") {
  for (const std::uint32_t start : edges) {
    for (const std::uint32_t window : windows) {
      CAPTURE(start);
      CAPTURE(window);
      const std::uint32_t step = window < 8 ? 1 : window / 4;
      owed_counter owed = owed_at(start, window);
      REQUIRE(!owed.owes());
      REQUIRE(!owed.due());
      for (std::uint32_t i = 1; i < step; ++i) {
        owed.add(1);
        REQUIRE(owed.owes());
        REQUIRE(!owed.due());
      }
      owed.add(1);
      REQUIRE(owed.due());
      REQUIRE(owed.value() == start + step);
      owed.published();
      REQUIRE(!owed.owes());
      REQUIRE(!owed.due());
    }
  }
}

TEST_CASE("a counter that is moved past an edge owes the distance") {
  owed_counter owed = owed_at(0xfffffff0, 64 * 1024);
  owed.move_to(0x3fef);  // one short of a quarter
  CHECK(owed.owes());
  CHECK(!owed.due());
  owed.move_to(0x3ff0);
  CHECK(owed.due());
}

TEST_CASE("a wider window makes what is owed wait longer") {
  owed_counter owed = owed_at(0, 4);
  owed.widen(64);
  owed.add(15);
  CHECK(!owed.due());
  owed.add(1);
  CHECK(owed.due());
}

// The two halves against each other: at every step the sum is W.
TEST_CASE("requester and target never lose or invent a credit") {
  for (const std::uint32_t start : edges) {
    for (const std::uint32_t window : windows) {
      CAPTURE(start);
      CAPTURE(window);
      sender_credits ours = credits_at(start, window);
      owed_counter theirs = owed_at(start, window);
      std::uint32_t published = start;
      std::uint32_t under_way = 0;
      std::uint32_t dice = start * 31 + window;
      for (unsigned step = 0; step < 2000; ++step) {
        dice = dice * 1664525 + 1013904223;
        switch (dice >> 30) {
          case 0:
          case 1:
            if (ours.free() > 0) {
              ours.take();
              ++under_way;
            }
            break;
          case 2:
            if (under_way > 0) {
              --under_way;
              if ((dice >> 20) % 2 == 0)
                ours.replies_consumed(1);
              else
                theirs.add(1);
            }
            if (theirs.due()) {
              published = theirs.value();
              theirs.published();
            }
            break;
          default:
            if (under_way == 0 && theirs.owes()) {  // a poll that found nothing
              published = theirs.value();
              theirs.published();
            }
            ours.silent_read(published);
        }
        const std::uint32_t unread = theirs.value() - published;
        REQUIRE(ours.free() <= window);
        REQUIRE(ours.on_their_way() >= under_way + unread);
      }
      ours.silent_read(theirs.value());
      REQUIRE(ours.free() == window - under_way);
    }
  }
}

TEST_CASE("a credit that is held is neither free nor on its way, and the target cannot answer it") {
  sender_credits credits = credits_at(0, 4);
  for (int i = 0; i < 3; ++i) credits.take();
  credits.hold();
  credits.hold();
  CHECK(credits.free() == 1);
  CHECK(credits.on_their_way() == 1);
  CHECK(credits.sent() == 1);
  CHECK(credits.may_be_silent(1));
  CHECK_FALSE(credits.may_be_silent(2));
  credits.send_held();
  CHECK(credits.on_their_way() == 2);
  credits.put_back_held();
  CHECK(credits.free() == 2);
  credits.replies_consumed(2);
  CHECK(credits.free() == 4);
  CHECK(credits.in_order());
}

TEST_CASE("what comes home for a credit that is held is too much") {
  sender_credits credits = credits_at(0, 4);
  credits.take();
  credits.hold();
  credits.replies_consumed(1);
  CHECK_FALSE(credits.in_order());
  CHECK(credits.surplus() == 1);
}

TEST_CASE("an account that is shut holds nothing, and nobody need answer for what was held") {
  sender_credits credits = credits_at(0, 4);
  credits.take();
  credits.take();
  credits.hold();
  const std::uint64_t before = credits.home();
  CHECK(credits.shut() == 1);
  CHECK(credits.home() == before + 1);
  CHECK(credits.on_their_way() == 0);
}
