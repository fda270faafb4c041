// The arithmetic of credits, as tables around the values where 16 and 32 bits wrap.
#include <libam/seam/credits.hpp>

#include <doctest/doctest.h>

#include <array>
#include <limits>

namespace unit_credits {

using am::detail::seam::batched_counter;
using am::detail::seam::sender_credits;

namespace {

// Start values of counters, so that these wrap within a few steps.
constexpr std::array<std::uint32_t, 9> edges{
    0,          1,          0xfffe,
    0xffff,     0x10000,    0x7ffffffe,
    0x7fffffff, 0xfffffffe, std::numeric_limits<std::uint32_t>::max()};
constexpr std::array<std::uint32_t, 6> windows{1, 2, 3, 7, 64, 4096};

// A requester whose counter is `silent` and which has nothing in flight.
sender_credits credits_at(std::uint32_t silent, std::uint32_t window) {
  sender_credits credits;
  credits.book_silent(silent);
  (void)credits.shut();
  credits.raise_limit(window);
  return credits;
}

batched_counter counter_at(std::uint32_t value, std::uint32_t window) {
  batched_counter counter(window);
  counter.move_to(value);
  counter.mark_published();
  return counter;
}

}  // namespace

TEST_CASE("a new sender has no credits until its limit is raised") {
  sender_credits credits;
  CHECK(credits.free() == 0);
  CHECK(credits.limit() == 0);
  credits.raise_limit(3);
  CHECK(credits.free() == 3);
  CHECK(credits.in_flight() == 0);
}

TEST_CASE("a credit returns once, by a reply or by silence, across every wrap") {
  for (const std::uint32_t start : edges) {
    for (const std::uint32_t window : windows) {
      CAPTURE(start);
      CAPTURE(window);
      sender_credits credits = credits_at(start, window);
      std::uint32_t silent = start;
      for (unsigned round = 0; round < 6; ++round) {
        for (std::uint32_t i = 0; i < window; ++i) credits.take();
        REQUIRE(credits.free() == 0);
        REQUIRE(credits.in_flight() == window);
        const std::uint32_t answered = window * round / 5;
        for (std::uint32_t i = 0; i < answered; ++i) credits.book_replies(1);
        REQUIRE(credits.free() == answered);
        silent += window - answered;
        credits.book_silent(silent);
        REQUIRE(credits.free() == window);
        // Read again, nothing is new.
        credits.book_silent(silent);
        REQUIRE(credits.free() == window);
      }
    }
  }
}

TEST_CASE("silence that is read in parts adds up to the same") {
  for (const std::uint32_t start : edges) {
    sender_credits credits = credits_at(start, 64);
    for (unsigned i = 0; i < 64; ++i) credits.take();
    for (std::uint32_t completed = 1; completed <= 64; ++completed) {
      credits.book_silent(start + completed);
      REQUIRE(credits.free() == completed);
    }
  }
}

TEST_CASE("a credit that was taken and not used is put back") {
  sender_credits credits = credits_at(0, 2);
  credits.take();
  credits.put_back();
  CHECK(credits.free() == 2);
}

TEST_CASE("a wider window adds the new credits, whatever is in flight") {
  sender_credits credits = credits_at(0xffffffff, 2);
  credits.take();
  credits.take();
  credits.raise_limit(5);
  CHECK(credits.free() == 3);
  CHECK(credits.in_flight() == 2);
  credits.book_silent(0);
  CHECK(credits.free() == 4);
  credits.book_replies(1);
  CHECK(credits.free() == 5);
}

TEST_CASE("a run consists of all free credits but the last") {
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
    CHECK(credits.in_flight() == taken);
  }
}

TEST_CASE("a window that is used up has no run, and none starts by itself when credits return") {
  sender_credits credits = credits_at(7, 1);
  credits.take();
  credits.start_run(5);
  CHECK_FALSE(credits.take_from_run());
  CHECK(credits.free() == 0);
  credits.book_replies(1);
  CHECK_FALSE(credits.take_from_run());
  CHECK(credits.free() == 1);
}

TEST_CASE("a credit is taken if there is one, with a run") {
  sender_credits credits = credits_at(7, 2);
  credits.start_run(1);
  CHECK(credits.take_if_free());
  CHECK_FALSE(credits.take_from_run());
  CHECK(credits.take_if_free());
  CHECK_FALSE(credits.take_if_free());
  CHECK(credits.in_flight() == 2);
}

TEST_CASE("hidden credits are neither free nor in flight, until they are shown") {
  sender_credits credits = credits_at(7, 8);
  const std::uint64_t sent_before = credits.sent();
  credits.take();
  credits.take();
  credits.start_run(3);
  credits.hide_free();
  CHECK(credits.free() == 0);
  CHECK_FALSE(credits.take_from_run());
  CHECK_FALSE(credits.take_if_free());
  CHECK(credits.in_flight() == 2);
  CHECK(credits.sent() == sent_before + 2);
  CHECK(credits.limit() == 8);
  credits.book_replies(1);
  CHECK(credits.free() == 1);
  CHECK(credits.is_consistent());
  credits.hide_free();
  CHECK(credits.free() == 0);
  credits.raise_limit(10);
  CHECK(credits.free() == 2);
  CHECK(credits.limit() == 10);
  CHECK(credits.in_flight() == 1);
  credits.show_hidden();
  CHECK(credits.free() == 9);
  CHECK(credits.limit() == 10);
  credits.show_hidden();
  CHECK(credits.free() == 9);
  CHECK(credits.sent() == sent_before + 2);
}

TEST_CASE("answers without requests are detected though credits are hidden") {
  sender_credits credits = credits_at(7, 8);
  credits.take();
  credits.hide_free();
  credits.book_replies(3);
  CHECK_FALSE(credits.is_consistent());
  CHECK(credits.surplus() == 2);
}

TEST_CASE("a closed account has nothing hidden") {
  sender_credits credits = credits_at(7, 8);
  credits.take();
  credits.hide_free();
  CHECK(credits.shut() == 1);
  credits.show_hidden();
  CHECK(credits.free() == 0);
  CHECK(credits.limit() == 0);
}

TEST_CASE("taking a credit by another call ends the run, and so does end_run") {
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

TEST_CASE("closing reports what was in flight and leaves nothing to take") {
  sender_credits credits = credits_at(7, 9);
  credits.take();
  credits.take();
  CHECK(credits.shut() == 2);
  CHECK(credits.free() == 0);
  CHECK(credits.in_flight() == 0);
}

TEST_CASE("unpublished silence is due when it has grown by a quarter of the window, at least one") {
  for (const std::uint32_t start : edges) {
    for (const std::uint32_t window : windows) {
      CAPTURE(start);
      CAPTURE(window);
      const std::uint32_t step = window < 8 ? 1 : window / 4;
      batched_counter counter = counter_at(start, window);
      REQUIRE(!counter.has_unpublished());
      REQUIRE(!counter.due());
      for (std::uint32_t i = 1; i < step; ++i) {
        counter.add(1);
        REQUIRE(counter.has_unpublished());
        REQUIRE(!counter.due());
      }
      counter.add(1);
      REQUIRE(counter.due());
      REQUIRE(counter.value() == start + step);
      counter.mark_published();
      REQUIRE(!counter.has_unpublished());
      REQUIRE(!counter.due());
    }
  }
}

TEST_CASE("a counter that is moved across a wrap counts the distance as unpublished") {
  batched_counter counter = counter_at(0xfffffff0, 64 * 1024);
  counter.move_to(0x3fef);  // one short of a quarter
  CHECK(counter.has_unpublished());
  CHECK(!counter.due());
  counter.move_to(0x3ff0);
  CHECK(counter.due());
}

TEST_CASE("a wider window delays publishing") {
  batched_counter counter = counter_at(0, 4);
  counter.widen(64);
  counter.add(15);
  CHECK(!counter.due());
  counter.add(1);
  CHECK(counter.due());
}

// Both sides against each other: at every step the sum is W.
TEST_CASE("requester and target never lose or invent a credit") {
  for (const std::uint32_t start : edges) {
    for (const std::uint32_t window : windows) {
      CAPTURE(start);
      CAPTURE(window);
      sender_credits ours = credits_at(start, window);
      batched_counter theirs = counter_at(start, window);
      std::uint32_t published = start;
      std::uint32_t under_way = 0;
      std::uint32_t rng = start * 31 + window;
      for (unsigned step = 0; step < 2000; ++step) {
        rng = rng * 1664525 + 1013904223;
        switch (rng >> 30) {
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
              if ((rng >> 20) % 2 == 0)
                ours.book_replies(1);
              else
                theirs.add(1);
            }
            if (theirs.due()) {
              published = theirs.value();
              theirs.mark_published();
            }
            break;
          default:
            if (under_way == 0 && theirs.has_unpublished()) {  // a poll that found nothing
              published = theirs.value();
              theirs.mark_published();
            }
            ours.book_silent(published);
        }
        const std::uint32_t unread = theirs.value() - published;
        REQUIRE(ours.free() <= window);
        REQUIRE(ours.in_flight() >= under_way + unread);
      }
      ours.book_silent(theirs.value());
      REQUIRE(ours.free() == window - under_way);
    }
  }
}

TEST_CASE("a held credit is neither free nor in flight, and the target cannot answer it") {
  sender_credits credits = credits_at(0, 4);
  for (int i = 0; i < 3; ++i) credits.take();
  credits.hold();
  credits.hold();
  CHECK(credits.free() == 1);
  CHECK(credits.in_flight() == 1);
  CHECK(credits.sent() == 1);
  CHECK(credits.is_valid_silent(1));
  CHECK_FALSE(credits.is_valid_silent(2));
  credits.send_held();
  CHECK(credits.in_flight() == 2);
  credits.put_back_held();
  CHECK(credits.free() == 2);
  credits.book_replies(2);
  CHECK(credits.free() == 4);
  CHECK(credits.is_consistent());
}

TEST_CASE("an answer for a held credit is one too many") {
  sender_credits credits = credits_at(0, 4);
  credits.take();
  credits.hold();
  credits.book_replies(1);
  CHECK_FALSE(credits.is_consistent());
  CHECK(credits.surplus() == 1);
}

TEST_CASE("a closed account holds nothing, and what was held needs no answer") {
  sender_credits credits = credits_at(0, 4);
  credits.take();
  credits.take();
  credits.hold();
  const std::uint64_t before = credits.completed();
  CHECK(credits.shut() == 1);
  CHECK(credits.completed() == before + 1);
  CHECK(credits.in_flight() == 0);
}

}  // namespace unit_credits
