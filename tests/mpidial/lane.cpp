// Stamps in a lane, and out of it by what MPI matches messages by.
#include <mpidial/stamps.hpp>

#include <doctest/doctest.h>

#include <memory>

using namespace am::detail::mpidial;

namespace {

struct joined_lane {
  std::unique_ptr<lane_memory> memory = std::make_unique<lane_memory>();
  lane_writer writer{memory.get()};
  stamps reader{lane_reader(memory.get())};

  bool send(int tag, ticks leave, std::uint64_t communicator = 1) {
    return writer.add(entry_kind::message, {{communicator, tag}, leave, 1, 0, false});
  }
  ticks take(int tag, std::uint64_t communicator = 1) {
    stamp out{};
    return reader.take({communicator, tag}, out) ? out.leave : 0;
  }
};

}  // namespace

TEST_CASE("stamps are taken in order for each tag and communicator, in any order of these") {
  joined_lane lane;
  for (int i = 1; i <= 6; ++i) CHECK(lane.send(i % 2, static_cast<ticks>(i)));
  CHECK(lane.send(0, 70, 2));
  CHECK(lane.take(0) == 2);
  CHECK(lane.take(0, 2) == 70);
  CHECK(lane.take(1) == 1);
  CHECK(lane.take(1) == 3);
  CHECK(lane.take(0) == 4);
  CHECK(lane.take(1) == 5);
  CHECK(lane.take(1) == 0);
  CHECK(lane.take(0) == 6);
  CHECK(lane.take(0) == 0);
}

TEST_CASE("a probe leaves the stamp") {
  joined_lane lane;
  CHECK(lane.reader.peek({1, 0}) == nullptr);
  CHECK(lane.send(0, 10));
  CHECK(lane.send(0, 11));
  REQUIRE(lane.reader.peek({1, 0}) != nullptr);
  CHECK(lane.reader.peek({1, 0})->leave == 10);
  lane.reader.peek({1, 0})->arrival = 5;  // what a probe has seen stays with it
  CHECK(lane.reader.peek({1, 0})->arrival == 5);
  CHECK(lane.take(0) == 10);
  CHECK(lane.take(0) == 11);
}

TEST_CASE("a message that MPI has not sent leaves no stamp behind") {
  joined_lane lane;
  CHECK(lane.send(0, 10));
  CHECK(lane.send(0, 11));
  CHECK(lane.writer.add(entry_kind::withdrawal, {{1, 0}, 0, 0, 0, false}));
  CHECK(lane.send(0, 12));
  CHECK(lane.reader.peek({1, 0}) != nullptr);
  CHECK(lane.take(0) == 10);
  CHECK(lane.take(0) == 12);
  CHECK(lane.take(0) == 0);
  // One that has been taken by the next message before it was known.
  CHECK(lane.send(0, 20));
  CHECK(lane.writer.add(entry_kind::withdrawal, {{1, 0}, 0, 0, 0, false}));
  CHECK(lane.send(0, 21));
  CHECK(lane.take(0) == 20);
  CHECK(lane.send(0, 22));
  CHECK(lane.take(0) == 22);
}

TEST_CASE("a lane whose stamps are taken stays in its first chunk") {
  joined_lane lane;
  std::size_t chunks = 0;
  for (ticks i = 1; i <= 3 * lane_entries; ++i) {
    if (lane.writer.next_chunk() != lane_entries) {
      ++chunks;
      lane.writer.has_pages();
    }
    REQUIRE(lane.send(0, i));
    REQUIRE(lane.take(0) == i);
  }
  CHECK(chunks == 1);
}

TEST_CASE("a full lane refuses a stamp, and has room when its reader has kept them") {
  joined_lane lane;
  ticks sent = 0;
  while (lane.send(0, sent + 1)) ++sent;
  CHECK(sent >= lane_entries - 2);
  lane.reader.keep_all();
  for (int i = 0; i < 100; ++i) REQUIRE(lane.send(0, ++sent));
  for (ticks i = 1; i <= sent; ++i) REQUIRE(lane.take(0) == i);
  CHECK(lane.take(0) == 0);
}

TEST_CASE("a writer that comes back to an unread jump goes on behind it") {
  for (const ticks before : {4094, 4095, 4096, 4159, 8000, 100000}) {
    CAPTURE(before);
    joined_lane lane;
    ticks sent = 0;
    for (; sent < before; ++sent) {
      REQUIRE(lane.send(0, sent + 1));
      REQUIRE(lane.take(0) == sent + 1);
    }
    for (const std::size_t burst : {5000UL, 4094UL, 4095UL, 4096UL, 64UL, lane_entries - 3}) {
      CAPTURE(burst);
      const ticks first = sent + 1;
      for (std::size_t i = 0; i < burst; ++i) REQUIRE(lane.send(0, ++sent));
      for (ticks i = first; i <= sent; ++i) REQUIRE(lane.take(0) == i);
      CHECK(lane.take(0) == 0);
    }
  }
}
