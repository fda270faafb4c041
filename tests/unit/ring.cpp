// The ring of slots, with writer and reader stepped by the test: every interleaving that matters is
// forced here, one step at a time.
#include <transports/shm/ring.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <vector>

using namespace am::detail::shm;

namespace {

constexpr std::uint32_t most = 64;

// A new ring with its memory.
struct ring {
  explicit ring(std::uint32_t capacity)
      : memory(new slot[most]()), writer(memory.get(), capacity), reader(memory.get(), capacity) {}

  void write(am_word value, kind what = kind::small, std::uint32_t handler = 5) {
    slot& next = writer.next();
    next.words[0] = value;
    writer.publish(next, control_of(what, handler));
  }
  // The next message of the reader; -1: none.
  long read() {
    long value = -1;
    reader.take(
        1,
        [&](std::uint64_t, const slot& one, std::uint32_t) {
          value = static_cast<long>(one.words[0]);
        },
        [](ring_reader& grown) { grown.follow_growth(); });
    return value;
  }

  std::unique_ptr<slot[]> memory;
  ring_writer writer;
  ring_reader reader;
};

}  // namespace

TEST_CASE("the parts of the control word are separate") {
  const std::uint64_t control = control_of(kind::returned, 0xffff, credit_request_flag) |
                                reason_in_control(AM_ARGUMENT_HANDLER) | 7;
  CHECK(generation_of(control) == 7);
  CHECK(kind_of(control) == kind::returned);
  CHECK(handler_of(control) == 0xffff);
  CHECK(reason_of(control) == AM_ARGUMENT_HANDLER);
  CHECK(reason_of(control_of(kind::returned, 1) | 0xffffULL << 48) == AM_ENDPOINT_CORRUPT);
  CHECK((control & credit_request_flag) != 0);
  CHECK((control_of(kind::small, 0xffff) & credit_request_flag) == 0);
}

TEST_CASE("generations wrap without ever being 0, which marks new memory") {
  generation lap = first_generation;
  for (unsigned i = 0; i < 0xffff; ++i) {
    REQUIRE(lap != 0);
    lap = next_generation(lap);
  }
  CHECK(lap == first_generation);
}

TEST_CASE("a new ring is empty, and so is one that was read to its end") {
  for (const std::uint32_t capacity : {2U, 4U, 64U}) {
    ring r(capacity);
    CHECK(!r.reader.full());
    r.write(1);
    CHECK(r.reader.full());
    CHECK(r.read() == 1);
    CHECK(!r.reader.full());
  }
}

TEST_CASE("messages are read in order at every distance, across the wrap of generations") {
  for (const std::uint32_t capacity : {2U, 4U, 8U}) {
    CAPTURE(capacity);
    ring r(capacity);
    long written = 0;
    long taken = 0;
    // More than two rounds of 16-bit generations.
    const long laps = 2L * 0x10000 + 10;
    while (taken < laps * static_cast<long>(capacity)) {
      const long distance = 1 + written % static_cast<long>(capacity);
      while (written - taken < distance) r.write(static_cast<am_word>(written++));
      REQUIRE(r.read() == taken);
      ++taken;
      if (written == taken) REQUIRE(r.read() == -1);
    }
  }
}

TEST_CASE("a full ring is read to its end and not beyond") {
  ring r(8);
  for (am_word i = 0; i < 8; ++i) r.write(i);
  for (long i = 0; i < 8; ++i) CHECK(r.read() == i);
  CHECK(r.read() == -1);
}

// ---- growth ----

TEST_CASE("a ring grows at every position, with any number of messages before and after") {
  for (unsigned start = 0; start < 9; ++start) {
    for (unsigned before = 0; before <= 3; ++before) {
      for (unsigned after_growth = 0; after_growth <= 3; ++after_growth) {
        CAPTURE(start);
        CAPTURE(before);
        CAPTURE(after_growth);
        ring r(4);
        long next = 0;
        for (; next < static_cast<long>(start); ++next) {
          r.write(static_cast<am_word>(next));
          REQUIRE(r.read() == next);
        }
        long written = next;
        for (unsigned i = 0; i < before; ++i) r.write(static_cast<am_word>(written++));
        r.writer.grow();
        CHECK(r.writer.capacity() == 8);
        for (unsigned i = 0; i < after_growth; ++i) r.write(static_cast<am_word>(written++));
        while (next < written) REQUIRE(r.read() == next++);
        REQUIRE(r.read() == -1);
        CHECK(r.reader.capacity() == 8);
        // It is an ordinary ring of eight from here on, through several laps.
        for (unsigned i = 0; i < 40; ++i) {
          const long burst = 1 + i % 8;
          for (long b = 0; b < burst; ++b) r.write(static_cast<am_word>(written++));
          while (next < written) REQUIRE(r.read() == next++);
          REQUIRE(r.read() == -1);
        }
      }
    }
  }
}

TEST_CASE("growth step by step up to the limit, read late and read at once") {
  for (const bool late : {false, true}) {
    ring r(2);
    long written = 0;
    long taken = 0;
    for (std::uint32_t capacity = 2; capacity < most; capacity *= 2) {
      // Credits leave one slot for the growth itself.
      for (std::uint32_t i = 0; i + 1 < capacity; ++i) {
        r.write(static_cast<am_word>(written++));
        if (!late) REQUIRE(r.read() == taken++);
      }
      r.writer.grow();
      while (taken < written) REQUIRE(r.read() == taken++);
      REQUIRE(r.read() == -1);
    }
    CHECK(r.reader.capacity() == most);
    for (unsigned i = 0; i < 3 * most; ++i) {
      r.write(static_cast<am_word>(written++));
      REQUIRE(r.read() == taken++);
    }
  }
}

TEST_CASE("growth at the wrap of generations") {
  for (unsigned laps_before = 0xffff - 3; laps_before < 0xffff + 3; ++laps_before) {
    CAPTURE(laps_before);
    ring r(2);
    long next = 0;
    for (; next < 2L * laps_before + 1; ++next) {
      r.write(static_cast<am_word>(next));
      REQUIRE(r.read() == next);
    }
    r.writer.grow();
    for (unsigned i = 0; i < 20; ++i, ++next) {
      REQUIRE(r.read() == -1);
      r.write(static_cast<am_word>(next));
      REQUIRE(r.read() == next);
    }
  }
}

// ---- bursts ----

TEST_CASE("a far slot is full exactly when that many messages are there, at every position") {
  ring r(8);
  for (unsigned place = 0; place < 40; ++place) {
    for (std::uint32_t distance = 0; distance < 8; ++distance) {
      CAPTURE(place);
      CAPTURE(distance);
      const ring_reader::far_slot far = r.reader.ahead(distance);
      for (std::uint32_t i = 0; i < distance; ++i) r.write(0);
      REQUIRE(!far.full());
      r.write(0);
      REQUIRE(far.full());
      while (r.read() != -1) {
      }
    }
    r.write(0);
    r.read();
  }
}

TEST_CASE("a growth slot is never taken for a burst") {
  ring r(8);
  std::vector<ring_reader::far_slot> beyond;
  for (std::uint32_t distance = 4; distance < 8; ++distance)
    beyond.push_back(r.reader.ahead(distance));
  for (unsigned i = 0; i < 3; ++i) r.write(i);
  r.writer.grow();
  for (unsigned i = 3; i < 10; ++i) r.write(i);
  for (const auto& far : beyond) CHECK(!far.full());
  for (long i = 0; i < 10; ++i) CHECK(r.read() == i);
}
