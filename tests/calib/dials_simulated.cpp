// The dials over a simulated network: the probe, the analysis and the arithmetic of the cards
// together, in virtual time.
#include <calib/driver/dials/dial_values.hpp>
#include <calib/driver/dials/dials_result.hpp>
#include <calib/program/dial_probe.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "simulated/calibrate.hpp"
#include "simulated/dialled.hpp"

namespace {

using simulated::dialled_network;
using simulated::dialled_parameters;

calib::launch simulate(const dialled_parameters& real, const std::string& method) {
  dialled_network in(real);
  const simulated::processor_in<dialled_network> cpu(in);
  simulated::recorder recorded;
  calib::dial_probe(in, in, cpu, recorded, calib::sample_plan{3, 1e5}, 400e3).measure();
  recorded.launch.layer = {"am-shm", "shm"};
  recorded.launch.method = method;
  recorded.launch.round = 1;
  return std::move(recorded.launch);
}

dialled_parameters turned(const std::string& dial, double value) {
  dialled_parameters out;
  if (dial == "L") out.L += value;
  if (dial == "o_s") out.o_s += value;
  if (dial == "o_r") out.o_r += value;
  if (dial == "g_s") out.g_s = value;
  if (dial == "g_r") out.g_r = value;
  if (dial == "G") out.G = value;
  return out;
}

}  // namespace

TEST_CASE("in virtual time each dial changes its own parameter exactly, and no other") {
  calib::dials_result from;
  from.values = calib::usual_dial_values();
  from.launches.push_back(simulate({}, calib::zero_setting));
  for (const calib::measured_dial& which : calib::all_dials())
    for (const double value : from.values.of(which))
      from.launches.push_back(
          simulate(turned(which.name, value), calib::dial_setting(which.name, value)));
  calib::analyse(from);
  CHECK(from.failed.empty());
  REQUIRE(from.transports.size() == 1);
  REQUIRE(from.transports.front().dials.size() == 6);
  for (const calib::dialled_dial& one : from.transports.front().dials) {
    CAPTURE(one.which.name);
    CHECK(one.judged >= 3);
    for (const calib::dialled_point& point : one.points) {
      CAPTURE(point.wanted);
      CHECK(std::abs(point.error.median) < 0.002);
      for (const calib::parameter kept : one.which.keeps) {
        const auto index = static_cast<std::size_t>(kept);
        CAPTURE(calib::parameter_names[index]);
        CHECK(std::abs(point.changes[index].median) < (kept == calib::parameter::G ? 0.001 : 2.0));
      }
    }
  }
}

TEST_CASE("a gap little longer than what a message takes by itself is seen as long as it is") {
  dialled_parameters real;
  real.g_s = 1.2 * (real.o_s + real.o_r);
  const calib::launch seen = simulate(real, calib::dial_setting("g_s", real.g_s));
  const auto g = std::ranges::find(seen.measured, "g", &calib::series::probe);
  REQUIRE(g != seen.measured.end());
  CHECK(g->median == doctest::Approx(real.g_s).epsilon(0.002));
}
