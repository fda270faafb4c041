// The calibrator over the simulated network: with the probes and the analysis of a real one.
#pragma once

#include "network.hpp"

#include <calib/driver/profile/logp_points.hpp>
#include <calib/logp/summary.hpp>
#include <calib/program/signature_probe.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace simulated {

// Records what a layer program would print.
struct recorder {
  calib::launch launch;
  std::function<calib::cpu_state()> state;  // now; none: it is not known
  std::vector<std::string> losses;          // the probes in which a message was lost
  void begin(const std::string&) {}
  void values(const std::string& probe, const std::vector<double>& samples) {
    launch.measured.push_back(calib::series_of(probe, "default", samples));
  }
  [[nodiscard]] calib::cpu_state take_state() const { return state ? state() : calib::cpu_state{}; }
  void states(const std::string&, const std::vector<calib::cpu_state>& found) {
    if (!state) return;
    for (const calib::cpu_state& one : found) {
      launch.measured.back().lines.push_back(one.line);
      launch.measured.back().paces.push_back(one.paces);
    }
  }
  void note(const std::string& key, const std::string& text) { launch.notes[key] = text; }
  void report_loss(const std::string& probe) { losses.push_back(probe); }
};

inline calib::launch simulate_launch(const parameters& real, std::uint64_t seed,
                                     const calib::sample_plan& plan) {
  network in(real, seed);
  const processor cpu(in);
  recorder recorded;
  calib::signature_probe(in, cpu, recorded, plan).measure();
  return std::move(recorded.launch);
}

inline calib::logp::summary calibrate(const parameters& real, unsigned launches, std::uint64_t seed,
                                      const calib::sample_plan& plan = {7, 3e4}) {
  std::vector<calib::logp::launch_parameters> all;
  for (unsigned i = 0; i < launches; ++i)
    all.push_back(
        calib::logp::parameters_of(calib::points_of(simulate_launch(real, seed * 1000 + i, plan))));
  return calib::logp::summarise(all, real.window);
}

}  // namespace simulated
