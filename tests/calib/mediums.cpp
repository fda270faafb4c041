// Requests with a payload: packing and reading, the sum of a sample, and the probe.
#include <calib/program/mediums.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

using calib::medium_spec;

namespace {

// 10 ns per message sent, and 5 ns for the final confirmation.
struct counted_clock {
  const std::uint64_t& now_ns;
  [[nodiscard]] std::uint64_t now() const { return now_ns; }
  [[nodiscard]] static double ns(std::uint64_t ticks) { return static_cast<double>(ticks); }
  [[nodiscard]] static double cost_ns() { return 0; }
};

// Both sides in one: each message is copied to the peer's buffer, and read at both sides. Drops a
// message, or a line of each message, on request.
class simulated_layer {
 public:
  void set(const medium_spec& what) {
    what_ = what;
    mine_.assign(what.bytes, {});
    theirs_.assign(what.bytes, {});
  }
  void wait_until_ready() {
    first_ = next_;
    here_ = there_ = 0;
    now += 1000;  // outside of the sample
  }
  void send_medium() {
    calib::pack(mine_.data(), what_.bytes, next_++);
    if (next_ - first_ != dropped) deliver();
    now += 10;
  }
  void wait_for_mediums() { now += 5; }
  [[nodiscard]] bool intact() const {
    const std::uint64_t sum = calib::sum_of(what_, first_);
    return there_ == sum && here_ == (what_.bidirectional ? sum : 0);
  }

  std::uint64_t now = 0;
  std::uint64_t dropped = 0;              // the n-th message of a sample; 0: none
  std::size_t skipped = ~std::size_t{0};  // a line that is not copied

 private:
  void deliver() {
    for (std::size_t line = 0; line < what_.bytes / calib::line_bytes; ++line)
      if (line != skipped)
        std::memcpy(theirs_.data() + line * calib::line_bytes,
                    mine_.data() + line * calib::line_bytes, calib::line_bytes);
    there_ += calib::unpack(theirs_.data(), what_.bytes);
    if (what_.bidirectional) here_ += calib::unpack(mine_.data(), what_.bytes);
  }

  medium_spec what_{};
  std::vector<std::byte> mine_, theirs_;
  std::uint64_t first_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t here_ = 0;
  std::uint64_t there_ = 0;
};

}  // namespace

TEST_CASE("mediums are named by size and direction") {
  CHECK(medium_spec{64, false, 1}.name() == "medium/64/oneway");
  CHECK(medium_spec{16384, true, 1}.name() == "medium/16384/bothways");
}

TEST_CASE("a sample is of many windows, but no more than 8 MiB") {
  CHECK(calib::medium_count(64, 50) == 12800);
  CHECK(calib::medium_count(1024, 50) == 8192);
  CHECK(calib::medium_count(16384, 50) == 512);
  CHECK(calib::medium_count(16384, 4) == 512);
  CHECK(calib::medium_count(64, 4) == 1024);
}

TEST_CASE("every line of a message is written and read, wherever it lies") {
  std::vector<std::byte> room(4 * calib::line_bytes + 1);
  std::byte* const at = room.data() + 1;
  calib::pack(at, 4 * calib::line_bytes, 7);
  std::set<std::uint64_t> words;
  for (std::size_t line = 0; line < 4; ++line) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + line * calib::line_bytes, sizeof word);
    words.insert(word);
  }
  CHECK(words == std::set<std::uint64_t>{7, 8, 9, 10});
  CHECK(calib::unpack(at, 4 * calib::line_bytes) == 34);
  CHECK(calib::sum_of({4 * calib::line_bytes, false, 1}, 7) == 34);
  CHECK(calib::sum_of({4 * calib::line_bytes, false, 2}, 7) == 34 + 38);
}

TEST_CASE("the time is per message of one direction, until the final confirmation") {
  for (const bool bidirectional : {false, true})
    for (const std::size_t bytes : calib::medium_sizes) {
      simulated_layer layer;
      const counted_clock clock{layer.now};
      layer.set({bytes, bidirectional, 100});
      for (int sample = 0; sample < 3; ++sample) {
        CHECK(calib::probe::medium(layer, clock, 100) == doctest::Approx(10.05));
        CHECK(layer.intact());
      }
    }
}

TEST_CASE("a dropped message or line is detected in every sample") {
  for (const bool bidirectional : {false, true}) {
    simulated_layer layer;
    const counted_clock clock{layer.now};
    layer.set({1024, bidirectional, 100});
    layer.dropped = 100;
    for (int sample = 0; sample < 3; ++sample) {
      calib::probe::medium(layer, clock, 100);
      CHECK_FALSE(layer.intact());
    }
    layer.dropped = 0;
    layer.skipped = 15;
    for (int sample = 0; sample < 3; ++sample) {
      calib::probe::medium(layer, clock, 100);
      CHECK_FALSE(layer.intact());
    }
    layer.skipped = ~std::size_t{0};
    calib::probe::medium(layer, clock, 100);
    CHECK(layer.intact());
  }
}
