// Comparisons of profiles whose figures are known, and how often they are wrong by chance.
#include "contains.hpp"
#include "profiles.hpp"

#include <calib/driver/profile/comparison.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using calib::outcome;

namespace {

calib::estimate& value(calib::profile& of, const std::string& name, std::size_t layer = 0) {
  return *std::ranges::find(of.layers[layer].logp.parameters, name, &calib::logp::parameter::name)
              ->value;
}

outcome outcome_in(const calib::comparison& from, const std::string& name) {
  return std::ranges::find(from.layers.front().parameters, name, &calib::compared_parameter::name)
      ->outcome;
}

// The outcome for a parameter of shm that has become longer by this much.
outcome outcome_after(const std::string& name, double longer) {
  calib::profile now = known_profile();
  calib::estimate& e = value(now, name);
  e = {e.median + longer,
       calib::estimate::bounds{e.interval->low + longer, e.interval->high + longer}, e.n};
  return outcome_in(calib::compare(known_profile(), now), name);
}

// For values whose scale is their own size.
outcome outcome_of(const calib::estimate& before, const calib::estimate& now, double slack) {
  return calib::compare({before, before.median}, {now, now.median}, slack);
}

// Fifteen launches that differ by as much as one unit; `run`: what they have in common.
calib::estimate fifteen_launches(std::mt19937_64& random, double run) {
  std::normal_distribution<double> one(1000 + run, 1);
  std::vector<double> all;
  for (int i = 0; i < 15; ++i) all.push_back(one(random));
  return calib::estimate_of(all);
}

}  // namespace

TEST_CASE("a profile is the same as itself, in every parameter of every transport") {
  const calib::comparison found = calib::compare(known_profile(), known_profile());
  CHECK(found.count(outcome::same) == 18);
  CHECK(found.count(outcome::unknown) == 0);
  CHECK(found.layers.front().parameters.back().name == "g0");
  CHECK(found.layers.front().parameters[7].unit == "ns/B");
}

TEST_CASE(
    "intervals must be apart by more than the slack, and than one and a quarter times the wider of "
    "them") {
  CHECK(outcome_of(about(100, 1), about(106.9, 1), 5) == outcome::same);  // 4.9 apart
  CHECK(outcome_of(about(100, 1), about(107.1, 1), 5) == outcome::worse);
  CHECK(outcome_of(about(100, 1), about(93.1, 1), 5) == outcome::same);
  CHECK(outcome_of(about(100, 1), about(92.9, 1), 5) == outcome::better);
  CHECK(outcome_of(about(100, 1), about(110.7, 3), 5) == outcome::same);  // 6.7 apart, 5.4 % wide
  CHECK(outcome_of(about(100, 1), about(110.9, 3), 5) == outcome::worse);
  CHECK(outcome_of(about(100, 3), about(111.4, 1), 5) == outcome::same);  // 7.4 apart, 6 wide
  CHECK(outcome_of(about(100, 3), about(111.6, 1), 5) == outcome::worse);
  CHECK(outcome_of(about(100, 3), about(89.4, 1), 5) == outcome::same);
  CHECK(outcome_of(about(100, 3), about(89.2, 1), 5) == outcome::better);
}

TEST_CASE("what is much longer and unsteady, too, is worse, and better the other way round") {
  const calib::estimate steady = about(300, 20);
  const calib::estimate late{89000, calib::estimate::bounds{32000, 308000}, 9};
  CHECK(outcome_of(steady, late, 15) == outcome::worse);
  CHECK(outcome_of(late, steady, 15) == outcome::better);
  CHECK(outcome_of(steady, {500, calib::estimate::bounds{350, 2000}, 9}, 15) == outcome::same);
}

TEST_CASE("of what is a part of nothing the width counts as it is") {
  const calib::scaled_estimate nothing{about(0, 1), 0};
  CHECK(calib::compare(nothing, {about(4.4, 1), 4.4}, 0) == outcome::same);
  CHECK(calib::compare(nothing, {about(4.6, 1), 4.6}, 0) == outcome::worse);
}

TEST_CASE("a parameter needs 5 % of what it is a part of") {
  CHECK(outcome_after("rtt", 35.9) == outcome::same);  // 19.9 apart, 16 wide
  CHECK(outcome_after("rtt", 36.1) == outcome::worse);
  CHECK(outcome_after("rtt", -36.1) == outcome::better);
  CHECK(outcome_after("g", 1.44) == outcome::same);  // 5 % are 0.85
  CHECK(outcome_after("g", 1.46) == outcome::worse);
  // Of half a round trip: 7.5; but it is 18 wide.
  CHECK(outcome_after("L", 40.4) == outcome::same);
  CHECK(outcome_after("L", 40.6) == outcome::worse);
}

TEST_CASE("a send in a stream is known to 5 % of the gap, if it is that steady") {
  calib::profile before = known_profile();
  calib::profile now = known_profile();
  value(before, "o_s_stream") = about(5, 0.1);
  value(now, "o_s_stream") = about(6.04, 0.1);  // 0.84 apart
  CHECK(outcome_in(calib::compare(before, now), "o_s_stream") == outcome::same);
  value(now, "o_s_stream") = about(6.06, 0.1);
  CHECK(outcome_in(calib::compare(before, now), "o_s_stream") == outcome::worse);
}

TEST_CASE("L is known to 5 % of half a round trip, if it is that steady") {
  calib::profile before = known_profile();
  calib::profile now = known_profile();
  for (calib::profile* of : {&before, &now}) of->environment.clock_resolution_ns = 1;
  value(before, "L") = about(20, 0.1);
  value(now, "L") = about(27.6, 0.1);  // 7.4 apart
  CHECK(outcome_in(calib::compare(before, now), "L") == outcome::same);
  value(now, "L") = about(27.8, 0.1);
  CHECK(outcome_in(calib::compare(before, now), "L") == outcome::worse);
}

TEST_CASE("single messages show no difference below the clock's resolution, long series do") {
  CHECK(outcome_after("o_r", 15.9) == outcome::same);  // 11.9 apart, the clock tells 12
  CHECK(outcome_after("o_r", 16.1) == outcome::worse);
  calib::profile coarse = known_profile();
  coarse.environment.clock_resolution_ns = 40;
  calib::profile now = coarse;
  value(now, "o_r") = about(110, 2);  // 36 apart
  value(now, "g") = about(20, 0.3);
  const calib::comparison found = calib::compare(coarse, now);
  CHECK(outcome_in(found, "o_r") == outcome::same);
  CHECK(outcome_in(found, "g") == outcome::worse);
  CHECK(outcome_in(calib::compare(known_profile(), now), "o_r") == outcome::same);
}

TEST_CASE("what a byte and a piece cost is compared, too") {
  calib::profile now = known_profile();
  now.layers[0].loggp[0].G = about(0.12, 0.002);
  now.layers[1].loggp[0].g0 = about(45, 2);
  const calib::comparison found = calib::compare(known_profile(), now);
  CHECK(outcome_in(found, "G") == outcome::worse);
  CHECK(found.count(outcome::worse) == 2);
  CHECK(contains(calib::table_of(found, false), "! worse: shm G, tcp g0\n"));
}

TEST_CASE("what a piece costs is known to 5 % of the gap, however little it is") {
  calib::profile before = known_profile();
  calib::profile now = known_profile();
  before.layers[0].loggp[0].g0 = about(2, 0.05);
  now.layers[0].loggp[0].g0 = about(2.9, 0.05);  // 0.8 apart
  CHECK(outcome_in(calib::compare(before, now), "g0") == outcome::same);
  now.layers[0].loggp[0].g0 = about(3, 0.05);
  CHECK(outcome_in(calib::compare(before, now), "g0") == outcome::worse);
}

TEST_CASE("without a value or an interval there is no verdict") {
  calib::profile now = known_profile();
  value(now, "g").interval.reset();
  now.layers[0].logp.parameters[3].value.reset();
  const calib::comparison found = calib::compare(known_profile(), now);
  CHECK(found.count(outcome::unknown) == 2);
  CHECK(found.count(outcome::same) == 16);
  const std::string text = calib::table_of(found, false);
  CAPTURE(text);
  CHECK(contains(text, "not judged: no interval after, of 9 launches"));
  CHECK(contains(text, "not judged: not known after"));
  CHECK(contains(text, "16 same, 0 better, 0 worse, 2 not judged"));
}

TEST_CASE("what pieces cost is not judged where one profile does not know it") {
  calib::profile one = known_profile();
  one.layers[0].loggp.clear();
  for (const calib::comparison& found :
       {calib::compare(one, known_profile()), calib::compare(known_profile(), one)}) {
    CHECK(found.count(outcome::unknown) == 2);
    CHECK(found.count(outcome::same) == 16);
    CHECK(outcome_in(found, "G") == outcome::unknown);
  }
  one = known_profile();
  calib::profile other = known_profile();
  one.layers[0].loggp.push_back(one.layers[0].loggp.front());
  one.layers[0].loggp.front().operation = "get";
  CHECK(calib::compare(one, other).count(outcome::same) == 18);
  other.layers[0].loggp.front().operation = "medium";
  CHECK(outcome_in(calib::compare(one, other), "G") == outcome::unknown);
}

TEST_CASE("transports of one profile alone are named; peers decide nothing") {
  calib::profile before = known_profile();
  calib::profile now = known_profile();
  before.layers[1] = known_layer({"am-self", "self"});
  for (calib::profile* of : {&before, &now}) of->layers.push_back(known_layer({"openmpi", "shm"}));
  value(now, "rtt", 2) = about(900, 8);
  const calib::comparison found = calib::compare(before, now);
  CHECK(found.only_before == std::vector<std::string>{"self"});
  CHECK(found.only_after == std::vector<std::string>{"tcp"});
  CHECK(found.count(outcome::worse) == 0);
  CHECK(found.count(outcome::same) == 9);
  const std::string text = calib::table_of(found, false);
  CAPTURE(text);
  CHECK(contains(text, "! self is only in A"));
  CHECK(contains(text, "! tcp is only in B"));
  CHECK(contains(text, "openmpi over shm, a peer: it does not affect the verdict"));
  CHECK_FALSE(contains(text, "! worse"));
}

TEST_CASE("the table has both figures, their intervals, the change and the verdict") {
  calib::profile now = known_profile();
  value(now, "rtt") = about(900, 8);
  const std::string text = calib::table_of(calib::compare(known_profile(), now), false);
  CAPTURE(text);
  CHECK(contains(text, "300  292 .. 308"));
  CHECK(contains(text, "900  892 .. 908"));
  CHECK(contains(text, "+200.0 %"));
  CHECK(contains(text, "! worse: shm rtt\n"));
  CHECK_FALSE(contains(text, "\x1b"));
  CHECK(contains(calib::table_of(calib::compare(known_profile(), now), true), "\x1b[31m"));
}

// 36 parameters, whose runs differ by half as much as the launches of a run, though nothing has
// changed. No slack: what 5 % add is left out here.
TEST_CASE("chance alone seldom makes one of 36 parameters worse, and a change is seen") {
  std::mt19937_64 random(7);
  std::normal_distribution<double> run(0, 0.5);
  constexpr int pairs = 1000;
  int alarms = 0;
  int untouched = 0;
  int seen = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    bool alarm = false;
    bool apart = false;
    for (int parameter = 0; parameter < 36; ++parameter) {
      const calib::estimate before = fifteen_launches(random, run(random));
      const calib::estimate now = fifteen_launches(random, run(random));
      alarm = alarm || outcome_of(before, now, 0) == outcome::worse;
      apart = apart || now.interval->low > before.interval->high;
    }
    alarms += alarm;
    untouched += apart;
    seen +=
        outcome_of(fifteen_launches(random, 0), fifteen_launches(random, 5), 0) == outcome::worse;
  }
  // As docs/calibration.md has it.
  CHECK(alarms <= pairs / 50);
  CHECK(untouched >= pairs * 3 / 4);
  CHECK(untouched <= pairs * 9 / 10);
  CHECK(seen >= pairs * 93 / 100);
}
