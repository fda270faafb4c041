#include <calib/driver/catalogue.hpp>
#include <calib/driver/job.hpp>
#include <calib/driver/points.hpp>
#include <calib/driver/profile.hpp>
#include <calib/driver/sizes.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace calib {
namespace {

// The launches of one layer that told all they had to.
struct told {
  std::vector<logp::points> points;
  std::vector<launch> validating;
};
told told_by(const profile& from, const carrier& who) {
  told out;
  for (const launch& one : from.launches) {
    if (one.who != who || !one.fault.empty()) continue;
    if (validates(one))
      out.validating.push_back(one);
    else
      out.points.push_back(points_of(one));
  }
  return out;
}

// Every launch has chosen its delays itself, nearly the same: they go together by number.
std::vector<signature_point> signature_over(const std::vector<logp::points>& launches,
                                            double resolution) {
  struct found {
    std::vector<double> delays, ns;
  };
  std::map<std::pair<unsigned, std::uint64_t>, found> all;
  for (const logp::points& one : launches) {
    for (const logp::issue_point& p : logp::curve(one, resolution)) {
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

std::string shown_name(const carrier& who) { return is_ours(who) ? who.transport : name_of(who); }

// How far the quartiles of a probe are apart within a launch.
std::string spread_of(const profile& from, const carrier& who, const char* probe) {
  std::vector<double> all;
  for (const launch& one : from.launches)
    for (const series& s : one.measured)
      if (one.who == who && s.probe == probe) all.push_back(spread(s.warm()));
  return all.empty() ? "" : format("quartiles within a launch {:.1f} % apart", 100 * median(all));
}

// A peer that cannot be measured is no failure of ours.
void name_failures(profile& into) {
  std::map<carrier, std::vector<std::string>> faults;
  for (const launch& one : into.launches)
    if (!one.fault.empty() && one.fault != "stopped") faults[one.who].push_back(one.fault);
  for (const auto& [who, lines] : faults) {
    const bool known =
        std::ranges::find(into.layers, who, &layer_profile::who) != into.layers.end();
    if (known)
      into.remarks.push_back(
          format("{}: {} (in {} of its launches)", shown_name(who), lines.front(), lines.size()));
    else
      (is_ours(who) ? into.failed : into.remarks)
          .push_back(format("{}: {}", shown_name(who), lines.front()));
  }
}

// Which parameters of ours are not known as well as they should be.
void name_unreached(profile& into) {
  for (const layer_profile& one : into.layers) {
    std::string names;
    for (const logp::parameter& p : one.logp.parameters)
      if (is_ours(one.who) && p.value && p.value->interval && !p.reached())
        names += format("{}{}", names.empty() ? "" : ", ", p.name);
    if (!names.empty())
      into.remarks.push_back(format("{}: not known to within 5 %: {}", one.name(), names));
  }
}

}  // namespace

std::string layer_profile::name() const { return shown_name(who); }

void analyse(profile& into) {
  hear(into.launches, into.at);
  std::vector<carrier> all = signed_layers();
  std::ranges::copy(pair_carriers(), std::back_inserter(all));
  for (const carrier& who : all) {
    const auto [launches, validating] = told_by(into, who);
    if (launches.empty()) continue;
    std::vector<logp::reading> readings;
    for (const logp::points& one : launches) readings.push_back(logp::read(one));
    const std::uint64_t window = launches.back().window;
    layer_profile one;
    one.who = who;
    one.window = window;
    one.logp = logp::summarise(readings, window);
    one.signature = signature_over(launches, into.at.clock_resolution_ns);
    for (logp::parameter& p : one.logp.parameters)
      if (p.remark.empty() && (p.name == "rtt" || p.name == "g"))
        p.remark = spread_of(into, who, p.name == "rtt" ? "rtt" : "steady/0");
    add_sizes(launches, one);
    one.opinions = opinions_of(launches);
    if (has_crews(who))
      one.opinions.validation = checks_of(validating, into.at.allowed_cpus.size());
    into.layers.push_back(std::move(one));
  }
  name_failures(into);
  name_unreached(into);
  for (const layer_profile& one : into.layers)
    if (const auto& mixed = one.opinions.exchange; mixed && !mixed->remark.empty())
      into.remarks.push_back(format("{}: {}", one.name(), mixed->remark));
}

}  // namespace calib
