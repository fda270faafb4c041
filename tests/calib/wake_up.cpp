// What it costs to wake a peer that sleeps.
#include "simulated/calibrate.hpp"

#include <calib/driver/profile/profile.hpp>
#include <calib/program/wake_up_probe.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace {

calib::profile profile_with(double awake, double wake_up) {
  calib::profile out;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    simulated::network in({.o_s = 60,
                           .o_r = 40,
                           .L = 100,
                           .g = 250,
                           .window = 64,
                           .jitter = 0.02,
                           .awake = awake,
                           .wake_up = wake_up},
                          seed);
    const simulated::processor cpu(in);
    simulated::recorder recorded;
    const calib::sample_plan plan{7, 2e4};
    calib::signature_probe(in, cpu, recorded, plan).measure();
    calib::measure_wake_up(in, cpu, recorded, plan);
    recorded.launch.layer = {"am-shm", "shm"};
    out.launches.push_back(recorded.launch);
  }
  calib::analyse(out);
  return out;
}

}  // namespace

TEST_CASE("a wake-up is what a round trip to a peer that sleeps takes longer") {
  const calib::profile of = profile_with(4e5, 27000);
  REQUIRE(of.layers.size() == 1);
  REQUIRE(of.layers[0].wake_up);
  CHECK(of.layers[0].wake_up->median == doctest::Approx(27000).epsilon(0.01));
  CHECK(of.layers[0].wake_up->n == 6);
}

TEST_CASE("a peer that is no later, and a layer without that probe, have no wake-up") {
  calib::profile of = profile_with(4e5, 27000);
  const auto without_probe = [&] {
    for (calib::launch& one : of.launches)
      std::erase_if(one.measured, [](const calib::series& s) { return s.probe == "wake_up"; });
    of.layers.clear();
  };
  without_probe();
  for (calib::launch& one : of.launches)
    one.measured.push_back(calib::series_of("wake_up", "default", {100}));
  calib::analyse(of);
  CHECK_FALSE(of.layers[0].wake_up);
  without_probe();
  calib::analyse(of);
  CHECK_FALSE(of.layers[0].wake_up);
}
