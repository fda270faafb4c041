// Lines through the gaps of pieces of data, and the signature as it is shown.
#include <calib/logp/loggp.hpp>
#include <calib/logp/reading.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace logp = calib::logp;
using doctest::Approx;

namespace {

std::vector<logp::sized_gap> along(unsigned from, unsigned to, double g0, double G) {
  std::vector<logp::sized_gap> out;
  for (unsigned bytes = from; bytes <= to; bytes *= 4)
    out.push_back({double(bytes), g0 + bytes * G});
  return out;
}

void append(std::vector<logp::sized_gap>& to, const std::vector<logp::sized_gap>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

TEST_CASE("one line is found as it is, also where pieces are small") {
  const auto lines = logp::fit(along(64, 1 << 20, 40, 0.1));
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].g0 == Approx(40));
  CHECK(lines[0].G == Approx(0.1));
  CHECK(lines[0].from == 64);
  CHECK(lines[0].to == 1 << 20);
}

TEST_CASE("where the protocol changes a new line begins") {
  auto points = along(64, 4096, 50, 0.3);
  append(points, along(16384, 1 << 20, 3000, 0.05));
  const auto lines = logp::fit(points);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].to == 4096);
  CHECK(lines[0].g0 == Approx(50));
  CHECK(lines[0].G == Approx(0.3));
  CHECK(lines[1].from == 16384);
  CHECK(lines[1].g0 == Approx(3000));
  CHECK(lines[1].G == Approx(0.05));
}

TEST_CASE(
    "what is off by a few percent is on the line, and small pieces count as much as large ones") {
  auto points = along(64, 1 << 20, 40, 0.1);
  for (std::size_t i = 0; i < points.size(); ++i) points[i].ns *= i % 2 == 0 ? 1.04 : 0.96;
  const auto lines = logp::fit(points);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].g0 == Approx(40).epsilon(0.08));
  CHECK(lines[0].G == Approx(0.1).epsilon(0.08));
}

TEST_CASE("a single size is a point, none is nothing") {
  CHECK(logp::fit({}).empty());
  const std::vector<logp::sized_gap> one = {{64, 30}};
  const auto lines = logp::fit(one);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].g0 == 30);
  CHECK(lines[0].G == 0);
}

TEST_CASE("what a batch takes besides is in no point of a signature that is shown") {
  logp::points from;
  for (std::uint64_t m = 1; m <= 64; m *= 2)
    for (const unsigned delay : {0U, 1U}) {
      const double each = delay == 0 ? 10 : 500;
      from.signature.push_back({m, delay, each + 80.0 / static_cast<double>(m)});
    }
  const auto shown = logp::curve(from, 12);
  REQUIRE(shown.size() == 14);
  for (std::size_t i = 0; i < 6; ++i) CHECK(shown[i].ns == Approx(10));
  CHECK(shown[0].messages == 1);
  CHECK(shown[6].messages == 64);
  CHECK(shown[6].ns == Approx(10 + 80.0 / 64));  // there is no next one
  CHECK(shown[7].ns == Approx(580));             // long enough to be timed by itself
}

TEST_CASE("alone, a processor is at both ends of every message") {
  logp::points from;
  from.alone = true;
  from.rtt = 44;
  from.lone_pair = 42;  // 2 (o_s + o_r)
  from.signature = {{1, 0, 14}};
  from.stream_send = 7;
  from.window = 256;
  from.answered_flood = 26;
  from.steady = {{0, 26}, {26, 46}};  // much of the computation went on beside the messages
  const logp::reading found = logp::read(from);
  CHECK(*found.o_s == Approx(14));
  CHECK(*found.o_r == Approx(7));
  CHECK(*found.L == Approx(1));
  CHECK(*found.g == Approx(26));
  CHECK(found.overhead_bound);
  CHECK(*found.o_r_stream == Approx(6));
}
