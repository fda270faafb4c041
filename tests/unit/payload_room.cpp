// The ring of payload bytes: every payload is contiguous and overlaps no other, for all sizes and
// wherever the counters wrap.
#include <libam/wire/payload_room.hpp>

#include <doctest/doctest.h>

#include <deque>
#include <vector>

using am::detail::wire::largest_max_medium;
using am::detail::wire::payload_room;
using am::detail::wire::payload_sizes;

namespace {

constexpr payload_sizes usual;
constexpr std::uint32_t max_medium = usual.max_medium();
constexpr std::uint32_t room_bytes = usual.room();
constexpr std::uint32_t most_room_bytes = usual.most_room();

// Advances an empty room's counters by `bytes`, in whole pieces.
void advance(payload_room& room, std::uint64_t bytes) {
  for (std::uint64_t moved = 0; moved < bytes;) {
    const auto place = room.take(4096);
    REQUIRE(place.has_value());
    room.update_released(place->end);
    moved += 4096;
  }
}

}  // namespace

TEST_CASE("two of the largest payloads always fit into an empty room, at any position") {
  for (const std::uint32_t largest : {8192U, 16384U, 16400U, 65536U}) {
    const payload_sizes sizes(largest);
    payload_room room(sizes.room());
    for (unsigned step = 0; step < 3 * sizes.room() / 48; ++step) {
      const auto first = room.take(sizes.most_payload());
      const auto second = room.take(sizes.most_payload());
      REQUIRE(first.has_value());
      REQUIRE(second.has_value());
      room.update_released(second->end);
      const auto small = room.take(48);
      REQUIRE(small.has_value());
      room.update_released(small->end);
    }
  }
}

TEST_CASE("payloads are aligned, contiguous and never overlap, also while the room grows") {
  payload_room room(room_bytes);
  std::uint32_t growths = 0;
  // Near the 32-bit limit, so that the counters wrap during the test.
  advance(room, (std::uint64_t{1} << 32) - room_bytes);
  struct piece {
    payload_room::place place;
    std::uint32_t bytes;
  };
  std::deque<piece> live;
  std::vector<bool> used(most_room_bytes);
  std::uint32_t rng = 12345;
  unsigned refused = 0;
  for (unsigned step = 0; step < 30000; ++step) {
    rng = rng * 1664525 + 1013904223;
    const std::uint32_t bytes = (rng >> 8) % (rng % 5 == 0 ? max_medium + 1 : 300);
    if (step > 4000 * (growths + 1) && room.size() < most_room_bytes && room.may_grow(bytes)) {
      room.grow();
      ++growths;
    }
    const auto place = room.take(bytes);
    if (place) {
      REQUIRE(place->offset % 16 == 0);
      REQUIRE(place->offset + bytes <= room.size());
      for (std::uint32_t i = 0; i < bytes; ++i) {
        REQUIRE(!used[place->offset + i]);
        used[place->offset + i] = true;
      }
      live.push_back({*place, bytes});
    }
    refused += !place;
    if (!place || (rng >> 28) % 2 == 0) {
      if (live.empty()) continue;
      const piece done = live.front();
      live.pop_front();
      for (std::uint32_t i = 0; i < done.bytes; ++i) used[done.place.offset + i] = false;
      room.update_released(done.place.end);
    }
  }
  CHECK(refused > 0);
  CHECK(room.size() == most_room_bytes);
}

TEST_CASE("a room grows at its end only, and not around payloads in use") {
  payload_room room(room_bytes);
  CHECK(!room.may_grow(max_medium));
  std::deque<std::uint32_t> ends;
  for (int i = 0; i < 4; ++i) ends.push_back(room.take(max_medium)->end);
  CHECK(room.may_grow(1));
  room.update_released(ends.front());
  REQUIRE(room.take(48)->offset == 0);  // round the ring: payloads lie beyond this offset
  CHECK(!room.may_grow(room_bytes));
  room.update_released(ends.back());
  CHECK(room.may_grow(room_bytes));
  room.grow();
  CHECK(room.take(room_bytes)->offset == 48);
}

TEST_CASE("a full room refuses, and accepts again after a release") {
  payload_room room(room_bytes);
  std::deque<std::uint32_t> ends;
  while (const auto place = room.take(max_medium)) ends.push_back(place->end);
  CHECK(ends.size() == room_bytes / max_medium);
  CHECK(!room.take(1).has_value());
  CHECK(room.take(0).has_value());
  room.update_released(ends.front());
  CHECK(room.take(max_medium).has_value());
  CHECK(!room.take(1).has_value());
}

TEST_CASE("a counter that runs backwards, or ahead of what was taken, is invalid") {
  payload_room room(room_bytes);
  REQUIRE(room.take(100));
  const auto second = room.take(200);
  REQUIRE(second);
  CHECK(room.is_valid_counter(0));
  CHECK(room.is_valid_counter(112));
  CHECK(room.is_valid_counter(second->end));
  CHECK(!room.is_valid_counter(second->end + 1));
  CHECK(!room.is_valid_counter(0x80000000U));
  room.update_released(112);
  CHECK(room.is_valid_counter(112));
  CHECK(!room.is_valid_counter(0));
  CHECK(!room.is_valid_counter(111));
}

TEST_CASE("a range fits the room only with all of its bytes") {
  for (const std::uint32_t largest : {8192U, 16384U, 20000U, 65536U}) {
    CAPTURE(largest);
    const payload_sizes sizes(largest);
    const std::uint32_t most = largest + 32;
    CHECK(sizes.max_medium() == largest);
    CHECK(sizes.most_payload() == most);
    CHECK(sizes.fits(0, 0));
    CHECK(sizes.fits(sizes.most_room(), 0));
    CHECK(sizes.fits(sizes.most_room() - most, most));
    CHECK(!sizes.fits(sizes.most_room() - most + 1, most));
    CHECK(!sizes.fits(0, most + 1));
    CHECK(!sizes.fits(0xffffffffU, 1));
    CHECK(!sizes.fits(16, 0xffffffffU));
  }
}

TEST_CASE(
    "a room is as large as four payloads, in whole pages, and never smaller than the default") {
  CHECK(payload_sizes(8192).room() == 65536);
  CHECK(payload_sizes(16384).room() == 65536);
  CHECK(payload_sizes(16400).room() == 69632);
  CHECK(payload_sizes(65536).room() == 262144);
  CHECK(payload_sizes(65536).most_room() == 1048576);
  for (std::uint32_t largest = 8192; largest <= largest_max_medium; largest += 16) {
    const payload_sizes sizes(largest);
    REQUIRE(sizes.room() % 4096 == 0);
    REQUIRE(sizes.room() >= 3 * sizes.most_payload());
  }
}
