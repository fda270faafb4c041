#include <calib/driver/dials/dials_result.hpp>

#include <calib/driver/dials/dial_values.hpp>
#include <calib/driver/output/grid.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace calib {
namespace {

using parameters = std::array<double, parameter_count>;
using by_setting = std::map<std::string, std::map<unsigned, parameters>>;  // then by round

constexpr std::size_t index(parameter of) { return static_cast<std::size_t>(of); }

// Nothing: the launch has not measured them all.
std::optional<parameters> parameters_of(const launch& from) {
  std::map<std::string, double> found;
  for (const series& one : from.measured) found[one.probe] = one.median;
  for (const char* needed : {"rtt", "o_s", "o_r", "g", "gap/1024", "gap/4096"})
    if (!found.contains(needed)) return std::nullopt;
  const double L = found["rtt"] / 2 - found["o_s"] - found["o_r"];
  const double G = (found["gap/4096"] - found["gap/1024"]) / (4096 - 1024);
  return parameters{found["rtt"], found["o_s"], found["o_r"], L, found["g"], G};
}

by_setting collect(const std::vector<launch>& launches, const measured_layer& layer) {
  by_setting out;
  for (const launch& one : launches)
    if (one.layer == layer && one.fault.empty() && !one.measured.empty())
      if (const auto found = parameters_of(one)) out[one.method][one.round] = *found;
  return out;
}

parameter_estimates estimates_of(const std::map<unsigned, parameters>& rounds) {
  parameter_estimates out;
  for (std::size_t i = 0; i < parameter_count; ++i) {
    std::vector<double> values;
    for (const auto& [round, found] : rounds) values.push_back(found[i]);
    out[i] = estimate_of(std::move(values));
  }
  return out;
}

// The differences to AM_DIAL=0 in the same rounds.
std::map<unsigned, parameters> changes_of(const std::map<unsigned, parameters>& dialled,
                                          const std::map<unsigned, parameters>& zero) {
  std::map<unsigned, parameters> out;
  for (const auto& [round, found] : dialled) {
    const auto beside = zero.find(round);
    if (beside == zero.end()) continue;
    parameters& change = out[round];
    for (std::size_t i = 0; i < parameter_count; ++i) change[i] = found[i] - beside->second[i];
  }
  return out;
}

// L has no figure by itself where overheads hide it: the whole way of a message stands for it.
double inherent(const measured_dial& of, const parameter_estimates& zero) {
  if (of.changes == parameter::L) return zero[index(parameter::rtt)].median / 2;
  return zero[index(of.changes)].median;
}

// What the dial has added, or the whole where its value is a least one. A latency that was added is
// half of what was added to rtt: overheads, which L is less, differ between launches.
double seen_of(const measured_dial& of, const parameters& dialled, const parameters& change) {
  if (of.changes == parameter::L) return change[index(parameter::rtt)] / 2;
  return is_added(of.name) ? change[index(of.changes)] : dialled[index(of.changes)];
}

std::optional<dialled_point> point_of(const measured_dial& of, double wanted, const by_setting& all,
                                      const parameter_estimates& zero) {
  const auto dialled = all.find(dial_setting(of.name, wanted));
  if (dialled == all.end()) return std::nullopt;
  const auto changes = changes_of(dialled->second, all.at(zero_setting));
  if (changes.empty()) return std::nullopt;
  dialled_point out;
  out.wanted = wanted;
  out.changes = estimates_of(changes);
  std::vector<double> seen;
  for (const auto& [round, change] : changes)
    seen.push_back(seen_of(of, dialled->second.at(round), change));
  std::vector<double> errors;
  for (const double one : seen) errors.push_back(one / wanted - 1);
  out.spread = quartile_distance(errors);
  out.seen = estimate_of(std::move(seen));
  out.error = estimate_of(std::move(errors));
  out.judged = wanted >= 2 * inherent(of, zero);
  return out;
}

void summarise(dialled_dial& of) {
  for (const dialled_point& one : of.points) {
    if (!one.judged) continue;
    ++of.judged;
    of.mean_error += std::abs(one.error.median);
    of.bias += one.error.median;
    of.spread += one.spread;
  }
  if (of.judged == 0) return;
  of.mean_error /= of.judged;
  of.bias /= of.judged;
  of.spread /= of.judged;
}

// How far it is from 0 for certain: not at all where there were too few rounds for an interval.
double certain_distance(const estimate& e) {
  if (!e.interval) return 0;
  if (e.interval->low > 0) return e.interval->low;
  return e.interval->high < 0 ? -e.interval->high : 0;
}

// What a unit of a parameter is, in ns: of G the time of a fragment counts.
double time_of(parameter which) { return which == parameter::G ? 4096 : 1; }

void judge(const dialled_transport& over, const dialled_dial& of, dials_result& into) {
  const std::string name = format("{} over {}", of.which.name, over.layer.transport);
  double certain = 0;
  for (const dialled_point& one : of.points) {
    if (!one.judged) continue;
    const std::string at = dial_setting(of.which.name, one.wanted);
    const double distance = certain_distance(one.error);
    certain += distance;
    if (distance > error_within)
      into.off.push_back(
          format("{} over {}: off by {:.1f} %", at, over.layer.transport, 100 * one.error.median));
    for (const parameter kept : of.which.keeps) {
      const estimate& change = one.changes[index(kept)];
      const double whole = std::abs(over.zero[index(kept)].median);
      const double certain_change = certain_distance(change);
      // Of what is kept, or of what is dialled, where that is more: both as times.
      if (certain_change > change_within * whole &&
          certain_change * time_of(kept) > change_within * one.wanted * time_of(of.which.changes))
        into.off.push_back(format("{} over {}: {} changes by {} {}", at, over.layer.transport,
                                  parameter_names[index(kept)], number(change.median),
                                  unit_of(kept)));
    }
  }
  if (of.judged > 0 && certain / of.judged > mean_error_within)
    into.off.push_back(format("{}: the mean error is {:.1f} %", name, 100 * of.mean_error));
}

}  // namespace

void analyse(dials_result& into) {
  std::vector<measured_layer> layers;
  for (const launch& one : into.launches)
    if (std::ranges::find(layers, one.layer) == layers.end()) layers.push_back(one.layer);
  std::ranges::sort(layers);
  for (const measured_layer& layer : layers) {
    const by_setting all = collect(into.launches, layer);
    if (!all.contains(zero_setting)) continue;
    dialled_transport over{layer, {}, estimates_of(all.at(zero_setting)), {}};
    if (all.contains(no_setting)) over.bare = estimates_of(all.at(no_setting));
    for (const measured_dial& which : all_dials()) {
      dialled_dial one{which, {}};
      for (const double value : into.values.of(which))
        if (auto point = point_of(which, value, all, over.zero)) one.points.push_back(*point);
      summarise(one);
      if (!one.points.empty()) over.dials.push_back(std::move(one));
    }
    for (const dialled_dial& one : over.dials) judge(over, one, into);
    into.transports.push_back(std::move(over));
  }
  for (const launch& one : into.launches) {
    if (one.fault.empty() || one.fault == "stopped") continue;
    const std::string line = format("{} over {}: {}", one.method, one.layer.transport, one.fault);
    if (std::ranges::find(into.failed, line) == into.failed.end()) into.failed.push_back(line);
  }
  collect_notes(into.launches, into.environment);
}

}  // namespace calib
