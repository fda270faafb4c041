// The memory of COMMTEST's experiments: whatever has not come as it was sent is found.
#include <calib/program/commtest/memory.hpp>

#include <doctest/doctest.h>

#include <cstring>

namespace calib_commtest_memory {
namespace {

constexpr std::size_t volume = 8192;

}  // namespace

TEST_CASE("what has come is as it was sent, by that rank in that run") {
  calib::swap_memory sender(volume);
  calib::swap_memory receiver(volume);
  sender.initialise(volume, 7, 0);
  receiver.initialise(volume, 7, 1);
  for (const std::size_t room : {0U, 1U}) {
    CAPTURE(room);
    const auto nothing = receiver.find_difference(room, volume, 7, 0);
    REQUIRE(nothing);
    CHECK(nothing->byte == 0);
    std::memcpy(receiver.in() + room * receiver.room_bytes(), sender.out(), volume);
    CHECK_FALSE(receiver.find_difference(room, volume, 7, 0));
    CHECK(receiver.find_difference(room, volume, 8, 0));
    CHECK(receiver.find_difference(room, volume, 7, 2));
    receiver.in()[room * receiver.room_bytes() + volume - 1] ^= std::byte{1};
    const auto wrong = receiver.find_difference(room, volume, 7, 0);
    REQUIRE(wrong);
    CHECK(wrong->byte == volume - 8);
    CHECK(wrong->is != wrong->should_be);
  }
}

TEST_CASE("an experiment of a smaller volume uses a part of the memory") {
  calib::swap_memory one(volume);
  one.initialise(volume / 2, 1, 0);
  std::memcpy(one.in(), one.out(), volume / 2);
  CHECK_FALSE(one.find_difference(0, volume / 2, 1, 0));
  one.invalidate_caches();
  CHECK_FALSE(one.find_difference(0, volume / 2, 1, 0));
}

}  // namespace calib_commtest_memory
