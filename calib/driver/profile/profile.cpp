#include <calib/driver/profile/profile.hpp>

#include <calib/driver/launch/catalogue.hpp>
#include <calib/driver/launch/own_job.hpp>
#include <calib/driver/profile/logp_points.hpp>
#include <calib/driver/profile/sized_costs.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace calib {
namespace {

// The launches of one layer that did not fail.
struct complete_launches {
  std::vector<logp::points> points;
  std::vector<launch> multi_rank;
};

complete_launches complete_launches_of(const profile& from, const measured_layer& layer) {
  complete_launches out;
  for (const launch& one : from.launches) {
    if (one.layer != layer || !one.fault.empty()) continue;
    if (is_multi_rank(one))
      out.multi_rank.push_back(one);
    else
      out.points.push_back(points_of(one));
  }
  return out;
}

// Every launch chooses its delays, which are nearly the same: they are matched by their index.
std::vector<signature_point> signature_over(const std::vector<logp::points>& launches,
                                            double resolution) {
  struct found {
    std::vector<double> delays, ns;
  };
  std::map<std::pair<unsigned, std::uint64_t>, found> all;
  for (const logp::points& one : launches) {
    for (const logp::issue_point& p : logp::signature_curve(one, resolution)) {
      if (p.delay >= one.delays.size()) continue;
      found& at = all[{p.delay, p.messages}];
      at.delays.push_back(one.delays[p.delay]);
      at.ns.push_back(p.ns);
    }
    for (unsigned d = 0; d < one.steady.size(); ++d) {
      found& at = all[{d, 0}];
      at.delays.push_back(one.steady[d].delay);
      at.ns.push_back(one.steady[d].ns);
    }
  }
  std::vector<signature_point> out;
  for (const auto& [key, at] : all)
    if (2 * at.ns.size() > launches.size())
      out.push_back({key.second, median(at.delays), median(at.ns)});
  return out;
}

// Of a peer that did not sleep it is not known.
std::optional<estimate> wake_up_over(const std::vector<logp::points>& launches) {
  std::vector<double> found;
  for (const logp::points& one : launches)
    if (one.wake_up) found.push_back(*one.wake_up - one.rtt);
  if (found.empty()) return std::nullopt;
  const estimate out = estimate_of(std::move(found));
  return out.median > 0 ? std::optional(out) : std::nullopt;
}

std::string display_name(const measured_layer& layer) {
  return is_ours(layer) ? layer.transport : name_of(layer);
}

// The distance between the quartiles of a probe within a launch, as a remark.
std::string spread_of(const profile& from, const measured_layer& layer, const char* probe) {
  std::vector<double> all;
  for (const launch& one : from.launches)
    for (const series& s : one.measured)
      if (one.layer == layer && s.probe == probe) all.push_back(spread(s.warm()));
  return all.empty() ? "" : format("quartiles within a launch {:.1f} % apart", 100 * median(all));
}

// A layer of libam without any good launch is a failure; a peer is only remarked upon.
void report_failures(profile& into) {
  std::map<measured_layer, std::vector<std::string>> faults;
  for (const launch& one : into.launches)
    if (!one.fault.empty() && one.fault != "stopped") faults[one.layer].push_back(one.fault);
  for (const auto& [layer, lines] : faults) {
    const bool known =
        std::ranges::find(into.layers, layer, &layer_profile::layer) != into.layers.end();
    if (known)
      into.remarks.push_back(format("{}: {} (in {} of its launches)", display_name(layer),
                                    lines.front(), lines.size()));
    else
      (is_ours(layer) ? into.failed : into.remarks)
          .push_back(format("{}: {}", display_name(layer), lines.front()));
  }
}

// The parameters of libam whose intervals are too wide.
void remark_unreached(profile& into) {
  for (const layer_profile& one : into.layers) {
    std::string names;
    for (const logp::parameter& p : one.logp.parameters)
      if (is_ours(one.layer) && p.value && p.value->interval && !p.reached())
        names += format("{}{}", names.empty() ? "" : ", ", p.name);
    if (!names.empty())
      into.remarks.push_back(format("{}: not known to within 5 %: {}", one.name(), names));
  }
}

}  // namespace

std::string layer_profile::name() const { return display_name(layer); }

void analyse(profile& into) {
  collect_notes(into.launches, into.environment);
  std::vector<measured_layer> all = signature_layers();
  std::ranges::copy(pair_layers(), std::back_inserter(all));
  for (const measured_layer& layer : all) {
    const auto [launches, multi_rank] = complete_launches_of(into, layer);
    if (launches.empty()) continue;
    std::vector<logp::launch_parameters> parameters;
    for (const logp::points& one : launches) parameters.push_back(logp::parameters_of(one));
    const std::uint64_t window = launches.back().window;
    layer_profile one;
    one.layer = layer;
    one.window = window;
    one.logp = logp::summarise(parameters, window);
    one.signature = signature_over(launches, into.environment.clock_resolution_ns);
    for (logp::parameter& p : one.logp.parameters)
      if (p.remark.empty() && (p.name == "rtt" || p.name == "g"))
        p.remark = spread_of(into, layer, p.name == "rtt" ? "rtt" : "steady/0");
    add_sizes(launches, one);
    one.cross_checks = cross_checks_of(launches);
    one.wake_up = wake_up_over(launches);
    if (has_multi_rank(layer))
      one.cross_checks.multi_rank =
          multi_rank_checks_of(multi_rank, into.environment.allowed_cpus.size());
    into.layers.push_back(std::move(one));
  }
  report_failures(into);
  remark_unreached(into);
  for (const layer_profile& one : into.layers)
    for (const std::string& remark : remarks_of(one.cross_checks))
      into.remarks.push_back(format("{}: {}", one.name(), remark));
}

}  // namespace calib
