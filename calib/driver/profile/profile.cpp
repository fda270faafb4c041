#include <calib/driver/profile/profile.hpp>

#include <calib/driver/launch/catalogue.hpp>
#include <calib/driver/launch/own_job.hpp>
#include <calib/driver/profile/logp_points.hpp>
#include <calib/driver/profile/sized_costs.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace calib {
namespace {

// The launches of one layer that did not fail, as far as they are known to have been in a
// condition.
struct usable_launches {
  std::vector<launch> whole;
  std::vector<logp::points> points;
  std::vector<logp::points> checked;  // for the cross-checks
  std::vector<launch> multi_rank;
};

std::size_t known_uncached(const logp::points& of) {
  const auto is_known = [](const logp::sized_point& one) { return one.g_uncached.has_value(); };
  return static_cast<std::size_t>(std::ranges::count_if(of.sizes, is_known));
}

// The launches that know a round trip and pieces of all sizes, and of them only PRTTs of all sizes,
// because what is predicted follows from all sizes together.
std::vector<logp::points> with_all_sizes(const std::vector<logp::points>& from) {
  std::vector<logp::points> out;
  std::size_t sizes = 0, uncached = 0, prtt = 0;
  for (const logp::points& one : from) {
    sizes = std::max(sizes, one.sizes.size());
    uncached = std::max(uncached, known_uncached(one));
    prtt = std::max(prtt, one.prtt.size());
  }
  for (const logp::points& one : from) {
    if (!one.rtt || one.sizes.size() < sizes) continue;
    out.push_back(one);
    if (known_uncached(one) < uncached) out.back().exchange_uncached.reset();
    if (one.prtt.size() < prtt) out.back().prtt.clear();
  }
  return out;
}

usable_launches launches_of(const profile& from, const measured_layer& layer,
                            const line_condition* in) {
  usable_launches out;
  for (const launch& one : from.launches) {
    if (one.layer != layer || !one.fault.empty()) continue;
    if (is_multi_rank(one)) {
      out.multi_rank.push_back(one);
      continue;
    }
    if (in != nullptr && !one.has_lines()) continue;
    launch here = in != nullptr ? in_condition(one, *in) : one;
    if (here.measured.empty()) continue;
    out.points.push_back(points_of(here));
    out.whole.push_back(std::move(here));
  }
  out.checked = with_all_sizes(out.points);
  return out;
}

// Every launch chooses its delays, which are nearly the same: they are matched by their index.
std::vector<signature_point> signature_over(const std::vector<logp::points>& launches,
                                            double resolution) {
  struct found {
    std::vector<double> delays, ns;
  };
  std::map<std::pair<unsigned, std::uint64_t>, found> all;
  std::map<unsigned, std::set<const logp::points*>> launches_with;  // by delay
  for (const logp::points& one : launches) {
    for (const logp::issue_point& p : logp::signature_curve(one, resolution)) {
      if (p.delay >= one.delays.size()) continue;
      launches_with[p.delay].insert(&one);
      found& at = all[{p.delay, p.messages}];
      at.delays.push_back(one.delays[p.delay]);
      at.ns.push_back(p.ns);
    }
    for (unsigned d = 0; d < one.steady.size(); ++d) {
      launches_with[d].insert(&one);
      found& at = all[{d, 0}];
      at.delays.push_back(one.steady[d].delay);
      at.ns.push_back(one.steady[d].ns);
    }
  }
  std::vector<signature_point> out;
  for (const auto& [key, at] : all)
    if (2 * at.ns.size() > launches_with[key.first].size())
      out.push_back({key.second, median(at.delays), median(at.ns)});
  return out;
}

// Of a peer that did not sleep it is not known.
std::optional<estimate> wake_up_over(const std::vector<logp::points>& launches) {
  std::vector<double> found;
  for (const logp::points& one : launches)
    if (one.wake_up && one.rtt) found.push_back(*one.wake_up - *one.rtt);
  if (found.empty()) return std::nullopt;
  const estimate out = estimate_of(std::move(found));
  return out.median > 0 ? std::optional(out) : std::nullopt;
}

std::string display_name(const measured_layer& layer) {
  return is_ours(layer) ? layer.transport : name_of(layer);
}

// The distance between the quartiles of a probe within a launch, as a remark.
std::string spread_of(const std::vector<launch>& launches, const char* probe) {
  std::vector<double> all;
  for (const launch& one : launches)
    for (const series& s : one.measured)
      if (s.probe == probe) all.push_back(spread(s.warm()));
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

// Nothing: no launch has a sample in this condition.
std::optional<layer_profile> profile_of(const profile& from, const measured_layer& layer,
                                        const line_condition* in) {
  const usable_launches launches = launches_of(from, layer, in);
  if (launches.points.empty()) return std::nullopt;
  std::vector<logp::launch_parameters> parameters;
  for (const logp::points& one : launches.points) parameters.push_back(logp::parameters_of(one));
  layer_profile out;
  out.layer = layer;
  out.window = launches.points.back().window;
  out.logp = logp::summarise(parameters, out.window);
  out.signature = signature_over(launches.points, from.environment.clock_resolution_ns);
  for (logp::parameter& p : out.logp.parameters)
    if (p.remark.empty() && (p.name == "rtt" || p.name == "g"))
      p.remark = spread_of(launches.whole, p.name == "rtt" ? "rtt" : "steady/0");
  add_sizes(launches.points, out);
  out.cross_checks = cross_checks_of(launches.checked);
  out.wake_up = wake_up_over(launches.points);
  if (has_multi_rank(layer))
    out.cross_checks.multi_rank =
        multi_rank_checks_of(launches.multi_rank, from.environment.allowed_cpus.size());
  return out;
}

bool has_lines(const profile& from, const measured_layer& layer) {
  return std::ranges::any_of(
      from.launches, [&](const launch& one) { return one.layer == layer && one.has_lines(); });
}

std::vector<measured_layer> possible_layers() {
  std::vector<measured_layer> all = signature_layers();
  std::ranges::copy(pair_layers(), std::back_inserter(all));
  return all;
}

// Whether as much is known of the layer in one condition as in all of them at once. g and the
// overhead of receiving in a stream may be unknown for better reasons.
bool is_whole(const std::optional<layer_profile>& one, const layer_profile& all) {
  if (!one || one->loggp.size() != all.loggp.size() || one->sizes.size() != all.sizes.size() ||
      one->wake_up.has_value() != all.wake_up.has_value())
    return false;
  for (const char* name : {"o_s", "L", "rtt"})
    if (!one->logp[name].value && all.logp[name].value) return false;
  return true;
}

// The cross-checks need launches of which all sizes were in the condition. One without such a
// launch is of all samples: of a launch that saw several conditions, it may be off for that reason
// alone.
void complete_checks(layer_profile& one, const cross_checks& of_all, profile& into) {
  std::string names;
  const auto complete = [&](auto& own, const auto& all, const char* name) {
    if (own || !all) return;
    own = all;
    names += (names.empty() ? "" : ", ") + std::string(name);
  };
  complete(one.cross_checks.startup, of_all.startup, "startup");
  complete(one.cross_checks.prtt, of_all.prtt, "PRTT");
  complete(one.cross_checks.exchange, of_all.exchange, "exchange");
  if (names.empty()) return;
  into.remarks.push_back(
      format("{}: too little was measured in the profile's condition for some cross-checks, which "
             "are of all conditions at once and may be off for that reason: {}",
             one.name(), names));
}

// One line for all layers to which the same happened.
void remark_all_conditions(profile& into) {
  std::string too_little, unknown;
  for (const layer_profile& one : into.layers) {
    if (!one.of_all_conditions || one.is_of_one_cpu()) continue;
    std::string& names = has_lines(into, one.layer) ? too_little : unknown;
    names += (names.empty() ? "" : ", ") + one.name();
  }
  if (!too_little.empty())
    into.remarks.push_back(
        format("too little was measured in the profile's condition: the figures "
               "are of all conditions at once of {}",
               too_little));
  if (!unknown.empty())
    into.remarks.push_back(
        format("the time of a cache line is not known beside the samples: the "
               "figures are of all conditions at once of {}",
               unknown));
}

void add_layers(profile& into) {
  for (const measured_layer& layer : possible_layers()) {
    std::optional<layer_profile> all = profile_of(into, layer, nullptr);
    if (!all) continue;
    std::optional<layer_profile> own;
    if (into.condition) own = profile_of(into, layer, &*into.condition);
    const bool is_known = is_whole(own, *all);
    if (is_known) complete_checks(*own, all->cross_checks, into);
    all->of_all_conditions = into.condition.has_value();
    into.layers.push_back(std::move(is_known ? *own : *all));
  }
  remark_all_conditions(into);
}

void remark_no_conditions(profile& into) {
  if (std::ranges::any_of(into.launches, &launch::has_lines)) {
    into.remarks.emplace_back(
        "where the two CPUs are, or at what pace they compute, never stays the same for long: the "
        "figures are of all conditions at once");
    return;
  }
  for (const launch& one : into.launches)
    if (const auto why = one.notes.find(no_line); why != one.notes.end()) {
      into.remarks.push_back(
          format("the time of a cache line is not known beside the samples: {}; conditions are not "
                 "told apart",
                 why->second));
      return;
    }
}

void add_conditions(profile& into) {
  std::vector<line_condition> all = find_conditions(into.launches);
  if (all.empty()) {
    remark_no_conditions(into);
    return;
  }
  into.condition = all.front();
  for (std::size_t i = 1; i < all.size(); ++i) {
    condition_profile other{all[i], {}};
    for (const measured_layer& layer : possible_layers())
      if (has_lines(into, layer))
        if (auto one = profile_of(into, layer, &all[i])) other.layers.push_back(std::move(*one));
    into.others.push_back(std::move(other));
  }
}

}  // namespace

std::string layer_profile::name() const { return display_name(layer); }

std::string profile::conditions_text() const {
  if (!condition) return {};
  std::vector<line_condition> rest;
  for (const condition_profile& one : others) rest.push_back(one.is);
  std::string out = "conditions: " + text_of(*condition, rest);
  const char* before = "; of all conditions at once: ";
  for (const layer_profile& one : layers)
    if (one.of_all_conditions && !one.is_of_one_cpu())
      out += std::exchange(before, ", ") + one.name();
  return out;
}

void analyse(profile& into) {
  collect_notes(into.launches, into.environment);
  add_conditions(into);
  add_layers(into);
  report_failures(into);
  remark_unreached(into);
  for (const layer_profile& one : into.layers)
    for (const std::string& remark : remarks_of(one.cross_checks))
      into.remarks.push_back(format("{}: {}", one.name(), remark));
}

}  // namespace calib
