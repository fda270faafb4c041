// Conditions, told apart by the time of a cache line and by the pace of each rank: made-up series
// of them, and a network whose parameters change with them.
#include "contains.hpp"
#include "profiles.hpp"
#include "schema.hpp"

#include <calib/driver/measure/line_conditions.hpp>
#include <calib/driver/profile/profile_json.hpp>
#include <calib/driver/profile/profile_table.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

using calib::line_condition;

namespace {

struct stay {
  double ns;
  std::size_t count;
};

// Times that vary by 2 % around each of these.
std::vector<double> times_of(std::initializer_list<stay> stays) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> part(1, 0.02);
  std::vector<double> out;
  for (const stay& one : stays)
    for (std::size_t i = 0; i < one.count; ++i) out.push_back(one.ns * part(random));
  return out;
}

// A series of samples of `ns` each, with the line at these times.
calib::series series_with(const std::vector<double>& lines, double ns = 1) {
  calib::series out = calib::series_of("rtt", "default", std::vector(lines.size() - 1, ns));
  out.lines = lines;
  return out;
}

std::vector<line_condition> conditions_in(const std::vector<double>& lines) {
  const calib::launch one = launch_with({series_with(lines)});
  return calib::find_conditions({&one, 1});
}

const simulated::parameters near{.o_s = 60, .o_r = 40, .L = 100, .g = 250, .window = 64};
const simulated::parameters far{.o_s = 70, .o_r = 140, .L = 400, .g = 600, .window = 64};

// Launches of shm, each of which begins elsewhere in a period. That is of some hundred samples; the
// first `near_part` of those are near, with a line of 80 ns, and the rest far, in this state.
calib::profile moving_profile(std::size_t period, double near_part,
                              const calib::cpu_state& when_far = {340, {1000, 1000}},
                              unsigned launches = 12) {
  calib::profile out;
  for (std::uint64_t seed = 1; seed <= launches; ++seed) {
    std::size_t taken = seed * period * 5 / 12;
    simulated::network in(near, seed);
    const simulated::processor cpu(in);
    simulated::recorder recorded;
    recorded.state = [&] {
      const bool is_near =
          static_cast<double>(taken++ % period) < near_part * static_cast<double>(period);
      in.change(is_near ? near : far);
      return is_near ? calib::cpu_state{80, {1000, 1000}} : when_far;
    };
    calib::signature_probe(in, cpu, recorded, {7, 2e4}).measure();
    recorded.launch.layer = {"am-shm", "shm"};
    out.launches.push_back(std::move(recorded.launch));
  }
  calib::analyse(out);
  return out;
}

calib::profile written_and_read(const calib::profile& of) {
  const std::string text = calib::json_of(of);
  CHECK(profile_departures(text) == std::vector<std::string>{});
  std::string problem;
  auto again = calib::parse_profile(text, problem);
  CAPTURE(problem);
  REQUIRE(again);
  return std::move(*again);
}

double known(const calib::layer_profile& of, const char* name) {
  CAPTURE(name);
  CAPTURE(of.logp[name].remark);
  REQUIRE(of.logp[name].value);
  return of.logp[name].value->median;
}

void check_near(const calib::layer_profile& of) {
  CHECK(known(of, "o_s") == doctest::Approx(60).epsilon(0.02));
  CHECK(known(of, "o_r") == doctest::Approx(40).epsilon(0.03));
  CHECK(known(of, "L") == doctest::Approx(100).epsilon(0.02));
  CHECK(known(of, "g") == doctest::Approx(250).epsilon(0.02));
  CHECK(known(of, "rtt") == doctest::Approx(400).epsilon(0.02));
}

void check_far(const calib::layer_profile& of) {
  CHECK(known(of, "o_s") == doctest::Approx(70).epsilon(0.02));
  CHECK(known(of, "L") == doctest::Approx(400).epsilon(0.02));
  CHECK(known(of, "g") == doctest::Approx(600).epsilon(0.02));
  CHECK(known(of, "rtt") == doctest::Approx(1220).epsilon(0.02));
}

}  // namespace

TEST_CASE("times close together are one group, the shortest first") {
  CHECK(calib::group_lines({}).empty());
  CHECK(calib::group_lines({0, 0}).empty());
  const auto one = calib::group_lines(times_of({{93, 500}}));
  REQUIRE(one.size() == 1);
  CHECK(one[0].line_ns == doctest::Approx(93).epsilon(0.01));
  const auto two = calib::group_lines(times_of({{390, 100}, {93, 300}}));
  REQUIRE(two.size() == 2);
  CHECK(two[0].line_ns == doctest::Approx(93).epsilon(0.01));
  CHECK(two[1].line_ns == doctest::Approx(390).epsilon(0.01));
  const auto three = calib::group_lines(times_of({{56, 300}, {93, 300}, {390, 300}}));
  REQUIRE(three.size() == 3);
  CHECK(three[1].line_ns == doctest::Approx(93).epsilon(0.01));
}

TEST_CASE("groups that are 20 % apart are two, and 5 % apart they are one") {
  CHECK(calib::group_lines(times_of({{84, 300}, {101, 300}})).size() == 2);
  CHECK(calib::group_lines(times_of({{80, 300}, {84, 300}})).size() == 1);
}

TEST_CASE("a drift is no condition wider than a third") {
  std::vector<double> drift;
  for (double ns = 80; ns < 400; ns *= 1.002) drift.push_back(ns);
  for (const line_condition& one : calib::group_lines(drift)) CHECK(one.high < one.low * 1.36);
}

TEST_CASE("the most frequent condition comes first, with its part of the samples") {
  const auto found = conditions_in(times_of({{93, 300}, {390, 701}}));
  REQUIRE(found.size() == 2);
  CHECK(found[0].line_ns == doctest::Approx(390).epsilon(0.01));
  CHECK(found[0].share == doctest::Approx(0.7));
  CHECK(found[1].share == doctest::Approx(0.299));
  CHECK(calib::text_of(found[0], std::span(found).subspan(1))
            .find(" ns 70 % of the samples (this profile), ") != std::string::npos);
}

TEST_CASE("single times far away are no condition") {
  std::vector<double> lines = times_of({{93, 400}});
  for (std::size_t i = 20; i < lines.size(); i += 40) lines[i] = 500 + static_cast<double>(i);
  const auto found = conditions_in(lines);
  REQUIRE(found.size() == 1);
  CHECK(found[0].share == doctest::Approx(0.95).epsilon(0.01));
}

TEST_CASE("if no condition stays from the one end of a sample to the other, there is none") {
  std::vector<double> lines;
  for (int i = 0; i < 1000; ++i) lines.push_back(i % 2 == 0 ? 93 : 390);
  CHECK(conditions_in(lines).empty());
  const calib::profile of = moving_profile(2, 0.5);
  CHECK_FALSE(of.condition);
  CHECK(of.layers.size() == 1);
  CHECK(contains(calib::table_of(of, false), "never stays the same for long"));
}

TEST_CASE("a sample belongs to the condition that held at both of its ends") {
  calib::series moved = series_with({93, 93, 390, 390, 390, 93});
  moved.samples = {1, 2, 3, 4, 5};
  calib::series plain = calib::series_of("size", "default", {7, 8});
  const calib::launch whole = launch_with({moved, plain, series_with({93, 390, 390})});
  const calib::launch far_away = calib::in_condition(whole, {390, 380, 400, 0});
  REQUIRE(far_away.measured.size() == 2);  // of the last series one sample is too few
  CHECK(far_away.measured[0].samples == std::vector<double>{3, 4});
  CHECK(far_away.measured[0].median == 3.5);
  CHECK(far_away.measured[1].samples == std::vector<double>{7, 8});
}

TEST_CASE("a profile has the parameters of where the ranks were slow") {
  const calib::profile of = moving_profile(300, 0.6, {80, {1000, 2000}});
  REQUIRE(of.condition);
  CHECK(of.condition->slow_ranks.empty());
  check_near(of.layers.at(0));
  REQUIRE(of.others.size() == 1);
  CHECK(of.others[0].is.slow_ranks == std::vector<unsigned>{1});
  check_far(of.others[0].layers.at(0));
  const calib::profile again = written_and_read(of);
  CHECK(again.conditions_text() == of.conditions_text());
  CHECK(again.others.at(0).is.slow_ranks == std::vector<unsigned>{1});
}

TEST_CASE("a profile of a machine that moves has the parameters of each condition") {
  const calib::profile of = moving_profile(300, 0.6);
  REQUIRE(of.condition);
  CHECK(of.condition->line_ns == 80);
  CHECK(of.condition->share == doctest::Approx(0.6).epsilon(0.05));
  REQUIRE(of.layers.size() == 1);
  check_near(of.layers[0]);
  REQUIRE(of.others.size() == 1);
  CHECK(of.others[0].is.line_ns == 340);
  check_far(of.others[0].layers.at(0));
  CHECK(calib::table_of(of, false).find("  conditions: line 80 ns ") != std::string::npos);
}

TEST_CASE("the profile stands for the condition that was most frequent") {
  const calib::profile of = moving_profile(300, 0.3);
  REQUIRE(of.condition);
  CHECK(of.condition->line_ns == 340);
  check_far(of.layers.at(0));
  REQUIRE(of.others.size() == 1);
  CHECK(of.others[0].is.line_ns == 80);
}

TEST_CASE("a layer of which too little was in the profile's condition has all of its samples") {
  calib::profile of = moving_profile(300, 0.6);
  of.layers.clear();
  of.others.clear();
  calib::launch late = of.launches.front();
  late.layer = {"mpich", "shm"};
  for (calib::series& s : late.measured)
    if (s.probe == "rtt") std::ranges::fill(s.lines, 340.0);
  of.launches.push_back(std::move(late));
  calib::analyse(of);
  REQUIRE(of.layers.size() == 2);
  CHECK(of.layers[1].logp["rtt"].value);
  CHECK(of.layers[1].of_all_conditions);
  CHECK_FALSE(of.layers[0].of_all_conditions);
  CHECK(contains(calib::table_of(of, false),
                 "too little was measured in the profile's condition: the figures are of all "
                 "conditions at once of mpich over shm\n"));
  CHECK(of.conditions_text().ends_with("; of all conditions at once: mpich over shm"));
}

TEST_CASE("a layer without lines has all of its samples, and the file says so of it") {
  calib::profile of = moving_profile(300, 0.6);
  of.layers.clear();
  of.others.clear();
  for (const calib::measured_layer& layer :
       {calib::measured_layer{"am-self", "self"}, {"am-tcp", "tcp"}}) {
    of.launches.push_back(of.launches.front());
    of.launches.back().layer = layer;
    for (calib::series& s : of.launches.back().measured) s.lines.clear();
  }
  calib::analyse(of);
  const calib::profile again = written_and_read(of);
  for (const calib::layer_profile& one : again.layers) {
    CAPTURE(one.name());
    CHECK(one.of_all_conditions == (one.name() != "shm"));
  }
  CHECK(again.conditions_text().ends_with("; of all conditions at once: tcp"));
  const std::string table = calib::table_of(again, false);
  CHECK(contains(table,
                 "the time of a cache line is not known beside the samples: the figures are "
                 "of all conditions at once of tcp\n"));
}

TEST_CASE("a launch of which no line is known is in no condition") {
  calib::profile of = moving_profile(300, 0.6);
  const std::size_t known_launches = of.layers.at(0).logp["o_s"].value->n;
  of.layers.clear();
  of.others.clear();
  of.launches.push_back(of.launches.front());
  for (calib::series& s : of.launches.back().measured) s.lines.clear();
  calib::analyse(of);
  CHECK(of.layers.at(0).logp["o_s"].value->n == known_launches);
}

TEST_CASE("where no line could be known a remark has the reason once") {
  calib::profile of = measured_profile();
  for (calib::launch& one : of.launches) one.notes[calib::no_line] = "memfd_create: not here";
  of.layers.clear();
  calib::analyse(of);
  const std::string remark =
      "the time of a cache line is not known beside the samples: memfd_create: not here; "
      "conditions are not told apart";
  CHECK(std::ranges::count(of.remarks, remark) == 1);
  calib::profile known = moving_profile(300, 0.6);
  known.layers.clear();
  known.others.clear();
  known.remarks.clear();
  known.launches.front().notes[calib::no_line] = "of one launch";
  calib::analyse(known);
  CHECK(std::ranges::count_if(known.remarks, [](const std::string& line) {
          return contains(line, "of one launch");
        }) == 0);
}

TEST_CASE("the samples beside a line that is lost are in no condition") {
  calib::series s = series_with({93, 93, 0, 93, 93, 93});
  s.samples = {1, 2, 3, 4, 5};
  const calib::launch found =
      calib::in_condition(launch_with({s}), calib::line_condition{93, 90, 99, 0});
  CHECK(found.measured.at(0).samples == std::vector<double>{1, 4, 5});
  const auto conditions = conditions_in(s.lines);
  REQUIRE(conditions.size() == 1);
  CHECK(conditions[0].share == doctest::Approx(0.6));
}

TEST_CASE("a profile whose lines are not known has no conditions, and all samples count") {
  const calib::profile of = measured_profile();
  CHECK_FALSE(of.condition);
  CHECK(of.conditions_text().empty());
  CHECK(calib::json_of(of).find("\"lines\"") == std::string::npos);
}

TEST_CASE("the file has the figures of every condition, and is read again") {
  const calib::profile of = moving_profile(300, 0.6);
  const calib::profile again = written_and_read(of);
  REQUIRE(again.condition);
  CHECK(again.condition->line_ns == 80);
  CHECK(again.conditions_text() == of.conditions_text());
  check_near(again.layers.at(0));
  REQUIRE(again.others.size() == 1);
  check_far(again.others[0].layers.at(0));
}
