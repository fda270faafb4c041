// Predictions for other machines, on made-up studies and profiles.
#include <calib/suite/predict/costs.hpp>
#include <calib/suite/predict/prediction.hpp>
#include <calib/suite/predict/study_file.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace calib;
using suite::costs;
using suite::range;

namespace {

constexpr costs here{20, 30, 100, 40, 0.1};

suite::studied_program program() {
  suite::studied_program out;
  out.entry = {"radix", "am-shm", "stores", "shm", 2};
  out.base = out.plain = 1e6;
  out.load = {1000, 500, 40'960, 0, 0, 10, 0};
  return out;
}

suite::prediction predicted(const suite::studied_program& of, const costs& there) {
  return suite::predict(of, of.plain, here, there);
}

// By one part of what was predicted.
double added(const suite::prediction& of, const std::string& cost) {
  for (const auto& part : of.parts)
    if (part.cost == cost) return part.added.likely;
  FAIL("no part is called " << cost);
  return 0;
}

std::string study_text(const std::string& rows) {
  return R"({"schema": "am-suite/1", "machine": {"cpu": "Xeon"}, "input": "small",
             "conditions": {"unfit": [], "failed": ["x"]}, "complete": true,
             "sensitivity": [)" +
         rows + "]}";
}

std::string row(const std::string& dial, const std::string& points) {
  return R"({"program": "radix", "variant": "stores", "layer": "am-shm", "transport": "shm",
             "ranks": 2, "dial": ")" +
         dial + R"(", "base_ns": 1e6, "plain_ns": 9e5, "slope": 1600, "low": 1500, "high": null,
             "load": {"sent": 1000, "handled": 500, "bytes": 0, "gets": 0, "get_bytes": 0,
                      "reads": 0, "barriers": 0}, "points": [)" +
         points + "]}";
}
const std::string one_point =
    R"({"dial_ns": 1000, "slowdown": 2.5, "low": 2.4, "high": 2.6, "value": null, "model": null})";

std::string problem_of(const std::string& text) {
  std::string problem;
  CHECK_FALSE(suite::parse_study(text, problem));
  return problem;
}

}  // namespace

TEST_CASE("where messages cost the same, a program takes the same time") {
  const auto same = predicted(program(), here);
  CHECK(same.there.likely == 1e6);
  CHECK(same.there.low == same.there.high);
  CHECK(suite::dials_for(here, here).empty());
}

TEST_CASE("without a dial in the study, counts and the models of the dials say what a cost adds") {
  costs there = here;
  there.o_s += 100;
  there.o_r += 200;
  there.L += 1000;
  const auto found = predicted(program(), there);
  CHECK(added(found, "o_s") == 1000 * 100);
  CHECK(added(found, "o_r") == 500 * 200);
  CHECK(added(found, "L") == 2 * 10 * 1000);
  CHECK(found.there.likely == 1e6 + 220'000);
  for (const auto& part : found.parts) CHECK_FALSE(part.measured);
}

TEST_CASE("a slope of the study counts before the model, one of both overheads by their messages") {
  suite::studied_program of = program();
  of.dials["o"] = {{3000, 2400, 3600}, {{1000, {3e6, 3e6, 3e6}}}};
  costs there = here;
  there.o_s += 100;
  const auto both = predicted(of, there);
  CHECK(added(both, "o_s") == doctest::Approx(3000.0 * 1000 / 1500 * 100));
  CHECK(both.there.low == doctest::Approx(1e6 + 160'000));
  CHECK(both.there.high == doctest::Approx(1e6 + 240'000));
  of.dials["o_s"] = {{1100, 1100, 1100}, {{1000, {1.1e6, 1.1e6, 1.1e6}}}};
  CHECK(added(predicted(of, there), "o_s") == doctest::Approx(110'000));
}

TEST_CASE("what costs less there makes a program faster, but never less than nothing") {
  costs there = here;
  there.o_s = 10;
  CHECK(predicted(program(), there).there.likely == 1e6 - 10'000);
  suite::studied_program of = program();
  of.load.sent = 1e9;
  CHECK(predicted(of, there).there.likely == 0);
  CHECK(suite::dials_for(here, there).empty());
  CHECK(suite::dialled_costs(here, there).o_s == here.o_s);
}

TEST_CASE("a gap adds what the points of the study say, between them and beyond") {
  suite::studied_program of = program();
  of.dials["g"] = {{1000, 1000, 1000},
                   {{1000, range::exactly(100'000)}, {2000, range::exactly(900'000)}}};
  const auto with_gap = [&](double g) {
    costs there = here;
    there.g = g;
    return added(predicted(of, there), "g");
  };
  CHECK(with_gap(30) == 0);
  CHECK(with_gap(500) ==
        doctest::Approx(100'000.0 * 450 / 960.0));  // 50 ns pass while processors are busy
  CHECK(with_gap(1500) == doctest::Approx(500'000 - 100'000.0 * 10 / 960.0));
  CHECK(with_gap(4000) == doctest::Approx(900'000.0 * 3960 / 1960.0 - 100'000.0 * 10 / 960.0));
}

TEST_CASE("the ends of a range stay in order, whichever point is known better") {
  suite::studied_program of = program();
  of.dials["g"] = {{1000, 1000, 1000},
                   {{1000, {100'000, 50'000, 150'000}}, {2000, range::exactly(900'000)}}};
  costs there = here;
  there.o_r = 980;  // 1000 ns pass while processors are busy
  there.g = 2000;
  const auto found = predicted(of, there);
  CHECK(added(found, "g") == doctest::Approx(800'000));
  CHECK(found.there.high - found.there.low == doctest::Approx(100'000));
}

TEST_CASE("a gap below what a dialled message takes is not dialled") {
  costs there = here;
  there.g = 400;
  CHECK(suite::dials_for(here, there).empty());
  CHECK(suite::dialled_costs(here, there).g == here.g);
}

TEST_CASE("what a shorter gap or byte saves is at most what the model says") {
  costs there = here;
  there.G = 0.05;
  const auto faster = predicted(program(), there);
  CHECK(faster.there.likely == 1e6);
  CHECK(faster.there.high == 1e6);
  CHECK(faster.there.low == doctest::Approx(1e6 - 40'960 * 0.05));
  costs bound = here;
  bound.g = 100;
  there = bound;
  there.g = 60;
  CHECK(suite::predict(program(), 1e6, bound, there).there.low == doctest::Approx(1e6 - 1010 * 40));
}

TEST_CASE("the time begins with that without AM_DIAL, the one with dials with that of AM_DIAL=0") {
  costs there = here;
  there.o_s += 100;
  CHECK(suite::predict(program(), 2e6, here, there).there.likely == 2e6 + 100'000);
}

TEST_CASE("a slope below nothing is noise") {
  suite::studied_program of = program();
  of.dials["L"] = {{-50, -100, 20}, {{1000, {}}}};
  costs there = here;
  there.L += 1000;
  const auto found = predicted(of, there);
  CHECK(found.there.likely == 1e6);
  CHECK(found.there.low == 1e6);
  CHECK(found.there.high == 1e6 + 20'000);
}

TEST_CASE("differences of noise are not dialled") {
  costs there = here;
  there.L += 1e-13;
  there.G += 1e-6;
  CHECK(suite::dials_for(here, there).empty());
}

TEST_CASE("a gap that is no longer than a message keeps the processors busy adds nothing") {
  costs there = here;
  there.o_r = 3000;
  there.g = 3000;
  CHECK(added(predicted(program(), there), "g") == 0);
  CHECK(suite::dials_for(here, there) == "o_r=+2.97us");
  there.g = 5000;
  const auto longer = predicted(program(), there);
  CHECK(added(longer, "g") > 0);
  CHECK(suite::dials_for(here, there) == "o_r=+2.97us,g=5us");
}

TEST_CASE("by the model a gap lies between evenly spaced messages and bursts") {
  costs there = here;
  there.g = 500;
  const auto found = predicted(program(), there);
  CHECK(found.there.low == 1e6);
  CHECK(found.there.high == doctest::Approx(1e6 + 1010 * (500 - 50)));
}

TEST_CASE("a study is read with its intervals; one that is unknown is none") {
  std::string problem;
  const auto found = suite::parse_study(study_text(row("o", one_point)), problem);
  REQUIRE_MESSAGE(found, problem);
  CHECK(found->cpu == "Xeon");
  CHECK(found->input == "small");
  CHECK_FALSE(found->is_fit);
  CHECK(found->has_plain);
  REQUIRE(found->programs.size() == 1);
  const suite::studied_program& of = found->programs.front();
  CHECK(of.entry.program == "radix");
  CHECK(of.load.handled == 500);
  CHECK(of.plain == 9e5);
  const auto& response = of.dials.at("o");
  CHECK(response.slope.low == 1500);
  CHECK(response.slope.high == 1600);
  REQUIRE(response.points.size() == 1);
  CHECK(response.points[0].added.likely == doctest::Approx(1.5e6));
  CHECK(response.points[0].added.low == doctest::Approx(1.4e6));
}

TEST_CASE("what is no study is refused with the place of its fault") {
  CHECK(problem_of("{") == "no JSON at byte 2 of 1");
  CHECK(problem_of(R"({"schema": "am-peers/1"})") ==
        "schema is \"am-peers/1\", expected \"am-suite/1\"");
  CHECK(problem_of(R"({"schema": "am-suite/1", "machine": {"cpu": ""}, "complete": true,
                       "conditions": {"unfit": [], "failed": []}})") ==
        "it has no study: am-suite --dial ... --json FILE writes one");
  CHECK(problem_of(study_text("")) == "sensitivity is a list, expected programs with a dial");
  CHECK(problem_of(study_text(row("x", one_point))) ==
        "sensitivity[0].dial is \"x\", expected a dial of AM_DIAL");
  CHECK(problem_of(study_text(row("o", one_point) + ',' + row("o", one_point))) ==
        "sensitivity[1].dial is \"o\", expected each dial of a program once");
  CHECK(problem_of(study_text(row("o", ""))) ==
        "sensitivity[0].points is a list, expected at least one point");
  CHECK(problem_of(study_text(row("o", one_point + ',' + one_point))) ==
        "sensitivity[0].points[1].dial_ns is 1000, expected values that ascend");
}

TEST_CASE("costs are those of a stream, and the latency has what a lone message costs more") {
  profile from;
  layer_profile layer;
  layer.layer = {"am-shm", "shm"};
  for (const auto& [name, value] : {std::pair("o_s_stream", 20.0), std::pair("o_r_stream", 30.0),
                                    std::pair("g", 40.0), std::pair("rtt", 300.0)})
    layer.logp.parameters.push_back({name, estimate{value, std::nullopt, 9}, ""});
  layer.loggp.push_back({"store", estimate{0.1, std::nullopt, 9}, {}, {}, {}});
  from.layers.push_back(layer);
  std::string problem;
  const auto found = suite::costs_of(from, "shm", problem);
  REQUIRE_MESSAGE(found, problem);
  CHECK(found->L == 100);
  CHECK(found->G == 0.1);
  CHECK_FALSE(suite::costs_of(from, "tcp", problem));
  CHECK(problem == "it has not measured tcp; it has shm");
  from.layers.front().logp.parameters[1] = {"o_r_stream", std::nullopt, "hidden by the gap"};
  CHECK(suite::costs_of(from, "shm", problem)->o_r == 20);  // what the gap leaves for it
  from.layers.front().logp.parameters.front() = {"o_s_stream", std::nullopt, "no stream"};
  CHECK_FALSE(suite::costs_of(from, "shm", problem));
  CHECK(problem == "o_s_stream of shm is not known: no stream");
}
