// The calibrator over the simulated network: the same probes, the same script, the same reading as
// over a real one.
#pragma once

#include "network.hpp"

#include <calib/driver/points.hpp>
#include <calib/logp/summary.hpp>
#include <calib/program/signature.hpp>

#include <string>
#include <utility>
#include <vector>

namespace simulated {

// What a layer program would print.
struct listener {
  calib::launch heard;
  void begin(const std::string&) {}
  void values(const std::string& probe, const std::vector<double>& samples) {
    heard.measured.push_back(calib::series_of(probe, "default", samples));
  }
  void note(const std::string& key, const std::string& text) { heard.notes[key] = text; }
  void lost(const std::string&) {}
};

inline calib::launch launched(const parameters& real, std::uint64_t seed,
                              const calib::thoroughness& how) {
  network in(real, seed);
  const processor stage(in);
  listener said;
  calib::signature(in, stage, said, how).take();
  return std::move(said.heard);
}

inline calib::logp::summary calibrated(const parameters& real, unsigned launches,
                                       std::uint64_t seed,
                                       const calib::thoroughness& how = {7, 3e4}) {
  std::vector<calib::logp::reading> all;
  for (unsigned i = 0; i < launches; ++i)
    all.push_back(calib::logp::read(calib::points_of(launched(real, seed * 1000 + i, how))));
  return calib::logp::summarise(all, real.window);
}

}  // namespace simulated
