// Requests with a payload: what is packed and read, what a sample adds up to, and the probe.
#include <calib/program/mediums.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

using calib::mediums;

namespace {

// Time is the number of messages that were sent, 10 ns each, and 5 ns for the word at the end.
struct counted_clock {
  const std::uint64_t& now_ns;
  [[nodiscard]] std::uint64_t now() const { return now_ns; }
  [[nodiscard]] static double ns(std::uint64_t ticks) { return static_cast<double>(ticks); }
  [[nodiscard]] static double cost_ns() { return 0; }
};

// Both sides in one: each message is copied to where the other reads it, and the other's to here.
// It leaves out a message or a line of each if it is told to.
class pretender {
 public:
  void set(const mediums& what) {
    what_ = what;
    mine_.assign(what.bytes, {});
    theirs_.assign(what.bytes, {});
  }
  void meet() {
    first_ = next_;
    here_ = there_ = 0;
    now += 1000;  // which nobody counts
  }
  void send_medium() {
    calib::pack(mine_.data(), what_.bytes, next_++);
    if (next_ - first_ != forgets) deliver();
    now += 10;
  }
  void settle_mediums() { now += 5; }
  [[nodiscard]] bool intact() const {
    const std::uint64_t sum = calib::sum_of(what_, first_);
    return there_ == sum && here_ == (what_.both_ways ? sum : 0);
  }

  std::uint64_t now = 0;
  std::uint64_t forgets = 0;              // the n-th message of a sample
  std::size_t skipped = ~std::size_t{0};  // a line that stays as it was over there

 private:
  void deliver() {
    for (std::size_t line = 0; line < what_.bytes / calib::line_bytes; ++line)
      if (line != skipped)
        std::memcpy(theirs_.data() + line * calib::line_bytes,
                    mine_.data() + line * calib::line_bytes, calib::line_bytes);
    there_ += calib::unpack(theirs_.data(), what_.bytes);
    if (what_.both_ways) here_ += calib::unpack(mine_.data(), what_.bytes);
  }

  mediums what_{};
  std::vector<std::byte> mine_, theirs_;
  std::uint64_t first_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t here_ = 0;
  std::uint64_t there_ = 0;
};

}  // namespace

TEST_CASE("mediums are called by their size and way") {
  CHECK(mediums{64, false, 1}.name() == "medium/64/oneway");
  CHECK(mediums{16384, true, 1}.name() == "medium/16384/bothways");
}

TEST_CASE("a sample is of many windows, but no more than 8 MiB") {
  CHECK(calib::mediums_of(64, 50) == 12800);
  CHECK(calib::mediums_of(1024, 50) == 8192);
  CHECK(calib::mediums_of(16384, 50) == 512);
  CHECK(calib::mediums_of(16384, 4) == 512);
  CHECK(calib::mediums_of(64, 4) == 1024);
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

TEST_CASE("the time is of one direction, from the first message to the word at the end") {
  for (const bool both_ways : {false, true})
    for (const std::size_t bytes : calib::medium_sizes) {
      pretender layer;
      const counted_clock clock{layer.now};
      layer.set({bytes, both_ways, 100});
      for (int sample = 0; sample < 3; ++sample) {
        CHECK(calib::probe::medium(layer, clock, 100) == doctest::Approx(10.05));
        CHECK(layer.intact());
      }
    }
}

TEST_CASE("a message that does not come, or a line of it, is missed in every sample") {
  for (const bool both_ways : {false, true}) {
    pretender layer;
    const counted_clock clock{layer.now};
    layer.set({1024, both_ways, 100});
    layer.forgets = 100;
    for (int sample = 0; sample < 3; ++sample) {
      calib::probe::medium(layer, clock, 100);
      CHECK_FALSE(layer.intact());
    }
    layer.forgets = 0;
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
