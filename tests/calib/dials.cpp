// What am-calibrate dials makes of launches whose figures are known.
#include <calib/driver/dials/dial_values.hpp>
#include <calib/driver/dials/dials_result.hpp>
#include <calib/driver/dials/sweep.hpp>

#include <doctest/doctest.h>

#include "launch_sets.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace {

using calib::measured_dial;

// In ns; a round adds its number to rtt, and as much to each dialled launch.
struct figures {
  double rtt = 1000, o_s = 150, o_r = 250, g = 400, gap_1k = 500, gap_4k = 500 + 3072 * 0.1;
};

calib::launch launched_as(unsigned round, const std::string& method, const figures& f) {
  calib::launch out = launched(round, "am-shm");
  out.method = method;
  for (const auto& [probe, ns] :
       {std::pair("rtt", f.rtt + round), std::pair("o_s", f.o_s), std::pair("o_r", f.o_r),
        std::pair("g", f.g), std::pair("gap/1024", f.gap_1k), std::pair("gap/4096", f.gap_4k)})
    with(out, probe, ns, method + ",default");
  return out;
}

// What a dial of this value does where it does what it should.
figures turned(const measured_dial& which, double value) {
  const std::string name = which.name;
  figures out;
  if (name == "L" || name == "o_s" || name == "o_r") out.rtt += 2 * value;
  if (name == "o_s") out.o_s += value;
  if (name == "o_r") out.o_r += value;
  if (name == "o_s" || name == "o_r") out.g += value;
  if (name == "g_s" || name == "g_r") out.g = std::max(out.g, value);
  if (name == "G") {
    out.gap_1k = std::max(out.gap_1k, 1024 * value);
    out.gap_4k = std::max(out.gap_4k, 4096 * value);
  }
  return out;
}

using spoiler = std::function<void(const measured_dial&, double, figures&)>;

calib::dials_result eight_rounds_of(const spoiler& spoil = [](const measured_dial&, double,
                                                              figures&) {}) {
  calib::dials_result out;
  out.values = calib::usual_dial_values();
  for (unsigned round = 1; round <= 8; ++round) {
    out.launches.push_back(launched_as(round, calib::no_setting, {900, 140, 240, 40, 300, 500}));
    out.launches.push_back(launched_as(round, calib::zero_setting, {}));
    for (const measured_dial& which : calib::all_dials())
      for (const double value : out.values.of(which)) {
        figures f = turned(which, value);
        spoil(which, value, f);
        out.launches.push_back(launched_as(round, calib::dial_setting(which.name, value), f));
      }
  }
  out.rounds = 8;
  calib::analyse(out);
  return out;
}

const calib::dialled_dial& dial_of(const calib::dials_result& from, const std::string& name) {
  const auto& all = from.transports.front().dials;
  return *std::ranges::find_if(all, [&](const auto& one) { return one.which.name == name; });
}

double change_of(const calib::dialled_point& at, calib::parameter which) {
  return at.changes[static_cast<std::size_t>(which)].median;
}

bool near(double a, double b) { return std::abs(a - b) < 1e-9 * std::max(1.0, std::abs(b)); }

}  // namespace

TEST_CASE("each setting is launched once a round, without the time of a line") {
  const auto specs = calib::find_dialled({"shm"}, calib::quick_dial_values()).specs;
  CHECK(specs.size() > 10);
  for (const calib::launch_spec& one : specs) {
    CHECK(one.turns == 1);
    CHECK_FALSE(one.line);
  }
}

TEST_CASE("exact dials have no error, and nothing is off") {
  const calib::dials_result from = eight_rounds_of();
  REQUIRE(from.transports.size() == 1);
  REQUIRE(from.transports.front().dials.size() == 6);
  CHECK(from.off.empty());
  CHECK(from.failed.empty());
  for (const calib::dialled_dial& one : from.transports.front().dials) {
    CAPTURE(one.which.name);
    CHECK(one.points.size() == from.values.of(one.which).size());
    CHECK(one.judged >= 3);
    CHECK(one.mean_error < 1e-9);
    CHECK(one.spread < 1e-9);
    for (const calib::dialled_point& point : one.points)
      for (const calib::parameter kept : one.which.keeps) CHECK(near(change_of(point, kept), 0));
  }
  const calib::dialled_point& latency = dial_of(from, "L").points.back();
  CHECK(near(latency.seen.median, 1e5));
  CHECK(near(change_of(latency, calib::parameter::rtt), 2e5));
  CHECK(near(change_of(dial_of(from, "o_s").points.back(), calib::parameter::g), 1e5));
}

TEST_CASE("errors keep their sign for the bias, and lose it for the mean error") {
  const calib::dials_result from =
      eight_rounds_of([](const measured_dial& which, double value, figures& f) {
        if (which.name != std::string("g_s")) return;
        f.g = value * (value == 5e3 || value == 2e4 ? 1.009 : 0.991);
      });
  const calib::dialled_dial& gap = dial_of(from, "g_s");
  REQUIRE(gap.judged == 5);
  CHECK(near(gap.mean_error, 0.009));
  CHECK(near(gap.bias, -0.0018));
  CHECK(from.off.empty());
}

TEST_CASE("a value that is more than 2 % off is named") {
  const calib::dials_result from =
      eight_rounds_of([](const measured_dial& which, double value, figures& f) {
        if (which.name != std::string("o_r") || value != 5e3) return;
        f.o_r += 150;
        f.rtt += 300;
      });
  REQUIRE(from.off.size() == 1);
  CHECK(from.off.front() == "o_r=+5us over shm: off by 3.0 %");
}

TEST_CASE("a dial whose mean error is above 1 % is named") {
  const calib::dials_result from =
      eight_rounds_of([](const measured_dial& which, double value, figures& f) {
        if (which.name == std::string("G")) f.gap_4k += 3072 * value * 0.015;
      });
  REQUIRE(from.off.size() == 1);
  CHECK(from.off.front() == "G over shm: the mean error is 1.5 %");
}

TEST_CASE("a parameter that should have stayed is named") {
  const calib::dials_result from =
      eight_rounds_of([](const measured_dial& which, double value, figures& f) {
        if (which.name == std::string("L") && value == 2e3) f.g += 60;
      });
  REQUIRE(from.off.size() == 1);
  CHECK(from.off.front() == "L=+2us over shm: g changes by 60.0 ns");
}

TEST_CASE("times and times of bytes are compared as times") {
  const auto off_with = [](const char* dial, double value, double figures::*figure, double ns) {
    return eight_rounds_of([=](const measured_dial& which, double at, figures& f) {
             if (which.name == std::string(dial) && at == value) f.*figure += ns;
           })
        .off;
  };
  // 1 ns of a byte is 4 us of a fragment, twice the latency that is dialled.
  CHECK(off_with("L", 2e3, &figures::gap_4k, 3072).size() == 1);
  // 3 ns of an overhead are nothing beside 2 ns of a byte, 8 us of a fragment.
  CHECK(off_with("G", 2, &figures::o_s, 3).empty());
  CHECK(off_with("G", 2, &figures::o_s, 300).size() == 2);  // and L, which is less
}

TEST_CASE("what is less than twice what there is anyway is shown, and not judged") {
  const calib::dials_result from =
      eight_rounds_of([](const measured_dial& which, double value, figures& f) {
        if (which.name != std::string("L") || value != 1e3) return;
        f.rtt += 200;  // a tenth more than a latency of 1000 where half of the round trip is 502
      });
  CHECK(from.off.empty());
  const calib::dialled_dial& latency = dial_of(from, "L");
  CHECK_FALSE(latency.points[0].judged);
  CHECK(near(latency.points[0].error.median, 0.1));
  CHECK(latency.points[1].judged);
  CHECK(latency.judged == 4);
  CHECK(near(latency.mean_error, 0));
}

TEST_CASE("rounds that vary are spread, and no bias") {
  calib::dials_result from = eight_rounds_of();
  for (calib::launch& one : from.launches)
    if (one.method == "o_s=+5us")
      for (calib::series& s : one.measured)
        if (s.probe == "o_s" || s.probe == "g") s.median += one.round % 2 == 0 ? 400 : -400;
  from.transports.clear();
  calib::analyse(from);
  const calib::dialled_dial& overhead = dial_of(from, "o_s");
  CHECK(near(overhead.bias, 0));
  CHECK(overhead.spread > 0.01);
  CHECK(from.off.empty());
}

TEST_CASE("launches that fail are named and leave the others alone") {
  calib::dials_result from = eight_rounds_of();
  for (calib::launch& one : from.launches)
    if (one.method == "G=10ns") one.fault = "killed by signal 9";
  from.transports.clear();
  calib::analyse(from);
  CHECK(dial_of(from, "G").points.size() == 4);
  REQUIRE(from.failed.size() == 1);
  CHECK(from.failed.front() == "G=10ns over shm: killed by signal 9");
}

TEST_CASE("without AM_DIAL=0 there is nothing to compare with") {
  calib::dials_result from = eight_rounds_of();
  std::erase_if(from.launches,
                [](const calib::launch& one) { return one.method == calib::zero_setting; });
  from.transports.clear();
  calib::analyse(from);
  CHECK(from.transports.empty());
}

TEST_CASE("the tables have every value, and brackets around what the dial changes too") {
  calib::dials_result from = eight_rounds_of();
  from.machine = {"Some CPU", 2, {}, "KVM", "Linux 6.1", 24};
  from.off = {"L over shm: the mean error is 1.5 %"};
  const std::string table = calib::table_of(from, false);
  CAPTURE(table);
  const auto has = [&](const std::string& part) { return table.find(part) != std::string::npos; };
  CHECK(has("\nThe dials over shared memory\n"));
  CHECK(has("\n  L           added   seen   error %"));
  CHECK(has("\n  g_s         at least   seen"));
  CHECK(has("\n               1.00   1.00   (+0.000)"));
  CHECK(has("\n                100    100     +0.000"));
  CHECK(has("(+200)"));
  CHECK(has("mean error 0.00 %; bias +0.00 %, spread 0.00 %"));
  CHECK(has("  ! L over shm: the mean error is 1.5 %\n"));
}
