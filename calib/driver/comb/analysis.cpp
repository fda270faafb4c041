#include <calib/driver/comb/curves.hpp>

#include <calib/format.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace calib {
namespace {

void add_iteration(const std::vector<launch>& launches, comb_layer& to) {
  std::vector<double> times, drifts;
  for (const launch& one : launches) {
    if (one.layer != to.layer || !one.fault.empty()) continue;
    comb_figures f;
    for (const series& s : one.measured) f[s.probe] = s.median;
    if (!f.contains("iteration/before") || !f.contains("iteration/after")) continue;
    times.push_back(f["iteration/before"]);
    drifts.push_back(f["iteration/after"] / f["iteration/before"] - 1);
  }
  if (times.empty()) return;
  to.iteration = estimate_of(std::move(times));
  to.drift = estimate_of(std::move(drifts));
}

comb_layer layer_of(const std::vector<launch>& launches, const measured_layer& layer) {
  comb_layer out{layer, {}, {}, {}, {}, {}};
  add_iteration(launches, out);
  for (const auto& [of, rounds] : collect_curves(launches, layer)) {
    if (of.method == "polling") {
      polling_curve one = polling_of(of, rounds);
      if (!one.points.empty()) out.polling.push_back(std::move(one));
    } else {
      pww_curve one = pww_of(of, rounds);
      if (!one.points.empty()) out.pww.push_back(std::move(one));
    }
  }
  for (const polling_curve& one : out.polling)
    out.verdicts.push_back(verdict_of(one, out.iteration.median));
  for (const pww_curve& one : out.pww) out.verdicts.push_back(verdict_of(one));
  return out;
}

// Each layer that failed is named once; it counts as failed or unfit only without any curve.
void report_failures(comb_result& into) {
  std::map<measured_layer, std::string> faults;
  for (const launch& one : into.launches)
    if (!one.fault.empty()) faults.try_emplace(one.layer, one.fault);
  for (const auto& [layer, fault] : faults) {
    if (!into.complete && fault == "stopped") continue;
    const std::string line = name_of(layer) + ": " + fault;
    if (std::ranges::find(into.layers, layer, &comb_layer::layer) != into.layers.end())
      into.remarks.push_back(line + " (in one of its launches)");
    else
      (is_ours(layer) ? into.failed : into.unfit).push_back(line);
  }
}

}  // namespace

void analyse(comb_result& into) {
  constexpr double much_drift = 0.05;
  std::vector<measured_layer> layers;
  for (const launch& one : into.launches)
    if (std::ranges::find(layers, one.layer) == layers.end()) layers.push_back(one.layer);
  std::ranges::sort(layers, {}, [](const measured_layer& one) {
    return std::tuple(one.transport, !is_ours(one), one.name);
  });
  for (const measured_layer& layer : layers) {
    comb_layer one = layer_of(into.launches, layer);
    if (one.polling.empty() && one.pww.empty()) continue;
    if (std::abs(one.drift.median) > much_drift)
      into.remarks.push_back(format("{}: an iteration of the work took {:+.0f} % after all else",
                                    name_of(layer), 100 * one.drift.median));
    into.layers.push_back(std::move(one));
  }
  report_failures(into);
  collect_notes(into.launches, into.environment);
}

}  // namespace calib
