// The segments fitted to the gaps of pieces of data, and the displayed signature.
#include <calib/logp/launch_parameters.hpp>
#include <calib/logp/loggp.hpp>

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

TEST_CASE("one segment is recovered, also for small pieces") {
  const auto segments = logp::fit_segments(along(64, 1 << 20, 40, 0.1));
  REQUIRE(segments.size() == 1);
  CHECK(segments[0].g0 == Approx(40));
  CHECK(segments[0].G == Approx(0.1));
  CHECK(segments[0].from == 64);
  CHECK(segments[0].to == 1 << 20);
}

TEST_CASE("a new segment begins where the protocol changes") {
  auto points = along(64, 4096, 50, 0.3);
  append(points, along(16384, 1 << 20, 3000, 0.05));
  const auto segments = logp::fit_segments(points);
  REQUIRE(segments.size() == 2);
  CHECK(segments[0].to == 4096);
  CHECK(segments[0].g0 == Approx(50));
  CHECK(segments[0].G == Approx(0.3));
  CHECK(segments[1].from == 16384);
  CHECK(segments[1].g0 == Approx(3000));
  CHECK(segments[1].G == Approx(0.05));
}

TEST_CASE(
    "points within a few percent share a segment, and small pieces count as much as large ones") {
  auto points = along(64, 1 << 20, 40, 0.1);
  for (std::size_t i = 0; i < points.size(); ++i) points[i].ns *= i % 2 == 0 ? 1.04 : 0.96;
  const auto segments = logp::fit_segments(points);
  REQUIRE(segments.size() == 1);
  CHECK(segments[0].g0 == Approx(40).epsilon(0.08));
  CHECK(segments[0].G == Approx(0.1).epsilon(0.08));
}

TEST_CASE("a single size is a point, no size is no segment") {
  CHECK(logp::fit_segments({}).empty());
  const std::vector<logp::sized_gap> one = {{64, 30}};
  const auto segments = logp::fit_segments(one);
  REQUIRE(segments.size() == 1);
  CHECK(segments[0].g0 == 30);
  CHECK(segments[0].G == 0);
}

TEST_CASE("the constant cost of a batch is in no point of the displayed signature") {
  logp::points from;
  for (std::uint64_t m = 1; m <= 64; m *= 2)
    for (const unsigned delay : {0U, 1U}) {
      const double each = delay == 0 ? 10 : 500;
      from.signature.push_back({m, delay, each + 80.0 / static_cast<double>(m)});
    }
  const auto shown = logp::signature_curve(from, 12);
  REQUIRE(shown.size() == 14);
  for (std::size_t i = 0; i < 6; ++i) CHECK(shown[i].ns == Approx(10));
  CHECK(shown[0].messages == 1);
  CHECK(shown[6].messages == 64);
  CHECK(shown[6].ns == Approx(10 + 80.0 / 64));  // the last one has no slope
  CHECK(shown[7].ns == Approx(580));             // long enough for the clock
}

TEST_CASE(
    "why the overhead of receiving in a stream is unknown: overheads are shared, or no points") {
  logp::points from;
  from.rtt = 900;
  from.lone_send = 60;
  from.lone_pair = 100;
  from.stream_send = 20;
  from.window = 64;
  from.steady = {{0, 250}, {300, 360}};
  const auto remark_of = [&] {
    const logp::launch_parameters one = logp::parameters_of(from);
    const auto found = logp::summarise({&one, 1}, from.window)["o_r_stream"];
    CHECK_FALSE(found.value);
    return found.remark;
  };
  CHECK(remark_of().starts_with("not reached: messages in a stream share overheads"));
  from.stream_send = 60;
  from.steady.pop_back();
  CHECK(remark_of() == "not reached: its points are missing");
  from.stream_send.reset();
  CHECK(remark_of() == "not reached: its points are missing");
}

TEST_CASE("over self a processor is at both ends of every message") {
  logp::points from;
  from.over_self = true;
  from.rtt = 44;
  from.lone_pair = 42;  // 2 (o_s + o_r)
  from.signature = {{1, 0, 14}};
  from.stream_send = 7;
  from.window = 256;
  from.answered_flood = 26;
  from.steady = {{0, 26}, {26, 46}};  // much of the computation overlaps the messages
  const logp::launch_parameters found = logp::parameters_of(from);
  CHECK(*found.o_s == Approx(14));
  CHECK(*found.o_r == Approx(7));
  CHECK(*found.L == Approx(1));
  CHECK(*found.g == Approx(26));
  CHECK(found.overhead_bound);
  CHECK(*found.o_r_stream == Approx(6));
}
