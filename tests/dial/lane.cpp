// The lane of stamps, and what is learned from them.
#include <transports/dial/delivery_gap.hpp>
#include <transports/dial/lane.hpp>
#include <transports/dial/overhead.hpp>
#include <transports/dial/recent_median.hpp>

#include <doctest/doctest.h>

#include <memory>

using namespace am::detail::dial;
using am::detail::seam::message_class;

namespace {

constexpr stamp a_request{message_class::request, 3, 0};
constexpr stamp an_answer{message_class::answer, 3, 5000};

struct lane {
  std::unique_ptr<lane_entry[]> memory = std::make_unique<lane_entry[]>(lane_entries);
  lane_writer writer{memory.get()};
  lane_reader reader{memory.get()};
};

}  // namespace

TEST_CASE("stamps come in order, each with its kind, and times of a lane increase") {
  lane l;
  lane_reader::entry found{};
  CHECK_FALSE(l.reader.next(found));
  l.writer.add(100, a_request);
  l.writer.add(100, an_answer);
  l.writer.add(50, a_request);
  REQUIRE(l.reader.next(found));
  CHECK(found.leave == 100);
  CHECK(found.of.what == message_class::request);
  lane_reader::entry second{};
  REQUIRE(l.reader.has(1, found.leave, second));
  CHECK(second.of.what == message_class::answer);
  CHECK(second.of.bytes == 5000);
  CHECK(second.leave == 101);
  l.reader.pop(found.leave);
  l.reader.pop(second.leave);
  REQUIRE(l.reader.next(found));
  CHECK(found.leave == 102);
  l.reader.pop(found.leave);
  CHECK_FALSE(l.reader.next(found));
}

TEST_CASE("a lane is a ring: old stamps are not taken for new ones") {
  lane l;
  lane_reader::entry found{};
  ticks time = 1;
  for (std::size_t i = 0; i < 3 * lane_entries + 7; ++i) {
    CHECK_FALSE(l.reader.next(found));
    l.writer.add(++time, a_request);
    REQUIRE(l.reader.next(found));
    CHECK(found.leave == time);
    l.reader.pop(found.leave);
  }
  // As full as the credits of both ends allow.
  for (std::size_t i = 0; i < lane_entries - 2 * most_batch; ++i) l.writer.add(++time, an_answer);
  for (std::size_t i = 0; i < lane_entries - 2 * most_batch; ++i) {
    REQUIRE(l.reader.next(found));
    l.reader.pop(found.leave);
  }
  CHECK(found.leave == time);
  CHECK_FALSE(l.reader.next(found));
}

TEST_CASE("a flight is the median of the last ones, of which a few may be late") {
  recent_median flight;
  CHECK(flight.value() == 0);
  flight.add(1'000'000);
  CHECK(flight.value() == 1'000'000);
  flight.add(500);
  CHECK(flight.value() == 500);
  for (ticks i = 0; i < 20; ++i) flight.add(500 + i);
  CHECK(flight.value() >= 500);
  CHECK(flight.value() <= 519);
  for (int i = 0; i < 10; ++i) flight.add(50'000);
  CHECK(flight.value() <= 519);
  for (int i = 0; i < 31; ++i) flight.add(800);
  CHECK(flight.value() == 800);
}

TEST_CASE("of a whole only what a message does not take by itself is spent") {
  const spinner clock;
  const ticks whole = clock.of_ns(200'000);
  overhead busy("o_s", clock, 0, whole);
  const ticks first = clock.now();
  CHECK(busy.spend_whole(first, 0) >= first + whole);  // nothing is known yet
  ticks shortest = whole;
  for (int i = 0; i < 20; ++i) {
    busy.end(clock.of_ns(150'000));
    const ticks since = clock.now();
    const ticks spent = busy.spend_whole(since, 0) - since;
    CHECK(spent >= clock.of_ns(49'000));
    shortest = std::min(shortest, spent);
  }
  CHECK(shortest < whole);
}

TEST_CASE("added overheads do not look at what a message takes") {
  const spinner clock;
  overhead busy("o_r", clock, clock.of_ns(50'000), 0);
  CHECK_FALSE(busy.is_whole());
  busy.end(clock.of_ns(1'000'000));
  const ticks since = clock.now();
  CHECK(busy.spend(0) >= since + clock.of_ns(50'000));
}

TEST_CASE("what lies between messages is the median of 31, and later of one in seventeen") {
  own_gap own(true);
  CHECK(own.is_wanted());
  for (const ticks busy : {300, 100, 5000, 110}) own.learn(busy);
  for (int i = 0; i < 26; ++i) own.learn(120);
  CHECK(own.value() == 0);
  own.learn(120);
  CHECK(own.value() == 120);
  for (int i = 1; i <= 15 * 17; ++i) own.learn(i % 17 == 0 ? 120 : 900);
  CHECK(own.value() == 120);
  for (int i = 0; i < 16 * 17; ++i) own.learn(900);
  CHECK(own.value() == 900);
  CHECK_FALSE(own_gap(false).is_wanted());
}

TEST_CASE("the own gap of receiving has no handler in it, and is of deliveries to handlers alone") {
  const spinner clock;
  const ticks long_handler = clock.of_ns(300e3);
  delivery_gap own(true, clock);
  const auto deliver = [&](unsigned taken, unsigned handled) {
    own.begin();
    for (unsigned i = 0; i < handled; ++i) {
      own.before_handler();
      clock.spin(long_handler);
      own.note_answer();  // in the handler
      own.after_handler();
    }
    own.end(taken);
  };
  const auto learn = [&](auto&& one) {
    for (int i = 0; i < 31; ++i) one();
    return own.value();
  };
  CHECK(learn([&] { deliver(0, 0); }) == 0);
  CHECK(learn([&] { deliver(2, 1); }) == 0);  // one request came back
  CHECK(learn([&] {
          own.begin();
          own.before_handler();
          own.after_handler();
          own.note_answer();  // of what has not answered
          own.end(1);
        }) == 0);
  const ticks learned = learn([&] { deliver(2, 2); });
  CHECK(learned > 0);
  CHECK(learned < long_handler);

  delivery_gap unwanted(false, clock);
  unwanted.begin();
  unwanted.before_handler();
  unwanted.after_handler();
  unwanted.end(1);
  CHECK(unwanted.value() == 0);
}
