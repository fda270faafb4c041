// The models of dialled programs, on made-up counts and times.
#include <calib/driver/suite/slowdown_grid.hpp>
#include <calib/suite/sensitivity/sensitivity.hpp>
#include <calib/suite/sensitivity/study.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

using namespace calib;
using suite::load;
using suite::model_of;

namespace {

constexpr load counts{100, 80, 8192, 10, 4096, 30, 5};
constexpr suite::run_form two_ranks{2, true};

const suite::entry base{"radix", "am-shm", "stores", "shm", 2, suite::no_dial};
const dial overhead{"o", {1000, 10'000}};

launch launch_of(const suite::entry& of, unsigned round, double ns) {
  launch out;
  out.layer = of.key();
  out.round = round;
  out.measured.push_back(series_of("time", "-", {ns}));
  const std::pair<const char*, double> figures[] = {
      {"load/sent", 60},     {"load/handled", 40}, {"load/bytes", 0},   {"load/gets", 0},
      {"load/get_bytes", 0}, {"load/reads", 0},    {"load/barriers", 0}};
  for (const auto& [probe, value] : figures) out.measured.push_back(series_of(probe, "-", {value}));
  return out;
}

// Rounds in which the base takes 1 ms and more, and a value the base and what `added` says of it.
suite::result studied(const std::function<double(double)>& added) {
  suite::result out;
  out.entries = {base};
  for (unsigned round = 1; round <= 6; ++round) {
    const double ns = 1e6 + 1000 * round;
    out.launches.push_back(launch_of(base, round, ns));
    for (const double value : overhead.ns)
      out.launches.push_back(launch_of(suite::dialled(base, "o", value), round, ns + added(value)));
  }
  suite::analyse_study({overhead}, out);
  return out;
}

}  // namespace

TEST_CASE(
    "an overhead is paid for each message at each of its ends, and once for a get by a copy") {
  CHECK(model_of("o_s", counts, two_ranks).slope == 110);
  CHECK(model_of("o_r", counts, two_ranks).slope == 80);
  CHECK(model_of("o", counts, two_ranks).slope == 190);
  CHECK(model_of("o", counts, {2, false}).slope == 180);
}

TEST_CASE("a latency is paid twice for a read, and once for each round of a barrier") {
  CHECK(model_of("L", counts, two_ranks).slope == 65);
  CHECK(model_of("L", counts, {3, true}).slope == 70);
  CHECK(model_of("L", counts, {8, true}).slope == 75);
}

TEST_CASE("a gap is paid for each message of the busier direction, and for fragments of bytes") {
  CHECK(model_of("g_s", counts, two_ranks).slope == 113);
  CHECK(model_of("g_r", counts, two_ranks).slope == 83);
  CHECK(model_of("g", counts, two_ranks).slope == 113);
  CHECK(model_of("g", counts, {2, false}).slope == 102);
}

TEST_CASE("the time of a byte is paid for each byte, got by a copy or not") {
  CHECK(model_of("G", counts, two_ranks).slope == 12288);
  CHECK(model_of("G", counts, {2, false}).slope == 8192);
}

TEST_CASE("a gap may pass while a program computes; overheads and latency are added") {
  const auto gap = model_of("g", {100}, two_ranks);
  CHECK(gap.most(5000, 10) == 6000);
  CHECK(gap.least(5000, 10) == 5000);
  CHECK(gap.least(5000, 100) == 10'000);
  CHECK(model_of("G", {0, 0, 100}, two_ranks).least(5000, 10) == 5000);
  for (const char* added : {"o", "L"}) {
    const auto model = model_of(added, counts, two_ranks);
    CHECK(model.least(5000, 10) == model.most(5000, 10));
  }
}

TEST_CASE("slopes and slowdowns are those within a round") {
  const auto from = studied([](double value) { return 104 * value; });
  REQUIRE(from.sensitivities.size() == 1);
  const suite::sensitivity& found = from.sensitivities.front();
  CHECK(found.model.slope == 100);
  CHECK(found.base == doctest::Approx(1'003'500));
  CHECK(found.slope.median == doctest::Approx(104));
  CHECK(found.slope.interval.has_value());
  REQUIRE(found.points.size() == 2);
  CHECK(found.points[1].value == 10'000);
  CHECK(found.points[1].slowdown.median == doctest::Approx(2.036).epsilon(0.001));
  CHECK(found.points[1].most == doctest::Approx(2'003'500));
  CHECK(found.is_visible());
  CHECK_FALSE(found.departs());
}

TEST_CASE("a program leaves its model from the first value on behind which all are off") {
  const auto above = studied([](double value) { return 200 * value; });
  const auto found = above.sensitivities.front().departs();
  REQUIRE(found);
  CHECK(found->from == 10'000);  // with 1 us it is 9 % above
  CHECK(found->times == doctest::Approx(1.5).epsilon(0.01));
  const auto below = studied([](double) { return 0; }).sensitivities.front().departs();
  REQUIRE(below);
  CHECK(below->times == doctest::Approx(0.5).epsilon(0.01));
  const auto early = studied([](double) { return 1.5e6; }).sensitivities.front().departs();
  REQUIRE(early);
  CHECK(early->from == 1000);
  const auto back = studied([](double value) { return value < 5000 ? 1.5e6 : 1e6; });
  CHECK_FALSE(back.sensitivities.front().departs());
}

TEST_CASE("a table has a column for each value, and a line for each program that is off") {
  const auto from = studied([](double value) { return 200 * value; });
  const auto tables = suite::dial_tables(from.sensitivities);
  REQUIRE(tables.size() == 1);
  CHECK(suite::slowdown_grid(tables[0], false).csv() ==
        ",1us,10us,slope,slope low,slope high,model,ratio\n"
        "radix stores shm,1.20,2.99,200,200,200,100,2.00\n");
  const auto lines = suite::departures_of(tables[0]);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] ==
        "radix stores shm: above its model from 10us on; with 10us 1.50 times as long as it says");
}

TEST_CASE("a program that has failed without a dial has no row, and one with a dial a message") {
  suite::result from;
  from.entries = {base};
  launch failed = launch_of(suite::dialled(base, "o", 1000), 1, 1e6);
  failed.fault = "killed";
  from.launches = {failed};
  suite::analyse_study({overhead}, from);
  CHECK(from.sensitivities.empty());
  CHECK(from.failed == std::vector<std::string>{"am-shm radix stores -n 2 AM_DIAL=o=+1us: killed"});
}
