#include <calib/driver/comb/curves.hpp>

#include <calib/format.hpp>

#include <algorithm>
#include <cmath>
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
  for (polling_curve& one : out.polling) {
    one.shown = shown_by(one, out.iteration.median);
    out.verdicts.push_back(verdict_head(one.of) + one.shown);
  }
  for (pww_curve& one : out.pww) {
    one.shown = shown_by(one);
    out.verdicts.push_back(verdict_head(one.of) + one.shown);
  }
  return out;
}

bool has_curve(const comb_result& in, const measured_layer& layer, std::uint64_t bytes) {
  const auto at = std::ranges::find(in.layers, layer, &comb_layer::layer);
  const auto is_of = [&](const auto& curve) { return curve.of.bytes == bytes; };
  return at != in.layers.end() &&
         (std::ranges::any_of(at->polling, is_of) || std::ranges::any_of(at->pww, is_of));
}

void add_once(std::vector<std::string>& to, const std::string& line) {
  if (std::ranges::find(to, line) == to.end()) to.push_back(line);
}

// A fault of ours is one of libam, however many launches went well. Of a peer what counts is
// whether its curve is there; so each size that has none is named.
void report_failures(comb_result& into) {
  for (const launch& one : into.launches) {
    if (one.fault.empty() || (!into.complete && one.fault == "stopped")) continue;
    const std::string name = name_of(one.layer);
    if (is_ours(one.layer)) {
      const std::string size = one.method.empty() ? "" : ", " + one.method;
      add_once(into.failed, format("{}{}: {}", name, size, one.fault));
      continue;
    }
    for (const std::uint64_t bytes : into.sweep.bytes) {
      if (!one.method.empty() && one.method != kilobytes(bytes)) continue;
      const std::string line = format("{}, {}: {}", name, kilobytes(bytes), one.fault);
      if (has_curve(into, one.layer, bytes))
        add_once(into.remarks, line + " (in one of its launches)");
      else
        add_once(into.unfit, line);
    }
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
