// Profiles whose figures are known, for tests of what is made of them.
#pragma once

#include "simulated/calibrate.hpp"

#include <calib/driver/profile/profile.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

// Nine launches of shm, with pieces of data at 40 ns and 0.1 ns/B.
inline calib::profile measured_profile(std::initializer_list<const char*> operations = {"store"}) {
  calib::profile out;
  out.rounds = 9;
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    calib::launch one = simulated::simulate_launch(
        {.o_s = 60, .o_r = 40, .L = 100, .g = 250, .window = 64, .jitter = 0.02}, seed, {7, 2e4});
    one.layer = {"am-shm", "shm"};
    one.round = static_cast<unsigned>(seed);
    one.measured.push_back(calib::series_of("wake_up", "default", {27400}));
    for (const std::string operation : operations)
      for (std::size_t bytes = 64; bytes <= 65536; bytes *= 4) {
        const std::string name = "size/" + operation + '/' + std::to_string(bytes);
        const double ns = 40 + 0.1 * static_cast<double>(bytes);
        one.measured.push_back(calib::series_of(name + "/o", "default", {ns / 2}));
        one.measured.push_back(calib::series_of(name + "/g", "default", {ns}));
        one.measured.push_back(calib::series_of(name + "/trip", "default", {ns + 400}));
      }
    out.launches.push_back(std::move(one));
  }
  calib::analyse(out);
  return out;
}

// A launch of shm that measured these.
inline calib::launch launch_with(const std::vector<calib::series>& all) {
  calib::launch out;
  out.layer = {"am-shm", "shm"};
  out.measured = all;
  return out;
}

// Launches of shm with a window of 1: of some parameters nothing can be known.
inline calib::profile narrow_profile(unsigned launches = 6) {
  calib::profile out;
  for (std::uint64_t seed = 1; seed <= launches; ++seed) {
    calib::launch one = simulated::simulate_launch(
        {.o_s = 60, .o_r = 40, .L = 100, .g = 90, .window = 1}, seed, {3, 2e4});
    one.layer = {"am-shm", "shm"};
    out.launches.push_back(std::move(one));
  }
  calib::analyse(out);
  return out;
}

// Of nine launches; the interval reaches as far to both sides.
inline calib::estimate about(double median, double reach) {
  return {median, calib::estimate::bounds{median - reach, median + reach}, 9};
}

inline calib::layer_profile known_layer(const calib::measured_layer& layer) {
  calib::layer_profile out;
  out.layer = layer;
  out.logp.parameters = {{"o_s", about(60, 5), ""},         {"o_r", about(70, 2), ""},
                         {"o_s_stream", about(6, 0.4), ""}, {"o_r_stream", about(10, 0.6), ""},
                         {"g", about(17, 0.3), ""},         {"L", about(20, 9), ""},
                         {"rtt", about(300, 8), ""}};
  for (const std::size_t bytes : {64U, 256U, 1024U, 4096U}) {
    const auto n = static_cast<double>(bytes);
    const double g = 30 + 0.1 * n;
    out.sizes.push_back({"store", bytes, about(25 + 0.08 * n, 1), about(g, 1), about(g + 150, 3)});
  }
  out.loggp = {{"store", about(0.1, 0.002), about(30, 2), {{64, 4096, 30, 0.1}}, 300}};
  return out;
}

// shm and tcp with the same figures.
inline calib::profile known_profile() {
  calib::profile out;
  out.machine.cpu = "Some CPU";
  out.machine.cores = 2;
  out.machine.kernel = "Linux 6.1";
  out.fingerprint = "this machine";
  out.environment.clock_resolution_ns = 12;
  out.layers = {known_layer({"am-shm", "shm"}), known_layer({"am-tcp", "tcp"})};
  return out;
}
