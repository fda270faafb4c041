#include <calib/driver/comparison.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <cmath>

namespace calib {
namespace {

constexpr double claimed = 0.05;  // so well a figure is known at best

using values = std::vector<logp::parameter>;

// Everything that is compared, by name; of pieces of data what this operation costs.
values values_of(const layer_profile& of, const std::string& operation) {
  values out = of.logp.parameters;
  const auto cost = std::ranges::find(of.loggp, operation, &loggp_cost::operation);
  if (cost == of.loggp.end()) return out;
  out.push_back({"G", cost->G, ""});
  out.push_back({"g0", cost->g0, ""});
  return out;
}

double size_of(const values& all, const char* name) {
  const auto found = std::ranges::find(all, name, &logp::parameter::name);
  return found == all.end() || !found->value ? 0 : std::abs(found->value->median);
}

// What is a part of something is known as well as that: L is what is left of half a round trip, and
// what is inside a stream makes up its gap.
double scale_of(const values& all, const std::string& name) {
  if (name == "L") return size_of(all, "rtt") / 2;
  if (name.ends_with("_stream")) return size_of(all, "g");
  if (name == "g0") return std::max(size_of(all, "g0"), size_of(all, "g"));
  return size_of(all, name.c_str());
}

// These are read off single messages, each of which stands between two looks at the clock.
bool is_of_single_messages(const std::string& name) {
  return name == "o_s" || name == "o_r" || name == "L";
}

// Nothing: the value can be judged.
std::string why_unknown(const std::optional<estimate>& value, const char* where) {
  if (!value) return format("not known {}", where);
  if (!value->interval) return format("no interval {}, of {} launches", where, value->n);
  return {};
}

compared compare(const logp::parameter& before, const logp::parameter& after, double slack) {
  compared out{before.name,       before.name == "G" ? "ns/B" : "ns", before.value, after.value,
               standing::unknown, why_unknown(before.value, "before")};
  if (out.why.empty()) out.why = why_unknown(after.value, "after");
  if (out.why.empty()) out.is = compare(*before.value, *after.value, slack);
  return out;
}

compared_layer compare(const layer_profile& before, const layer_profile& after, double clock) {
  compared_layer out{before.name(), is_ours(before.who), {}};
  const std::string operation = before.loggp.empty() ? "" : before.loggp.front().operation;
  const values old = values_of(before, operation);
  const values now = values_of(after, operation);
  for (const logp::parameter& one : old) {
    const auto other = std::ranges::find(now, one.name, &logp::parameter::name);
    const double slack =
        std::max(claimed * scale_of(old, one.name), is_of_single_messages(one.name) ? clock : 0.0);
    if (other != now.end()) out.parameters.push_back(compare(one, *other, slack));
  }
  return out;
}

std::vector<std::string> missing_in(const profile& other, const profile& from) {
  std::vector<std::string> out;
  for (const layer_profile& one : from.layers)
    if (std::ranges::find(other.layers, one.who, &layer_profile::who) == other.layers.end())
      out.push_back(one.name());
  return out;
}

}  // namespace

// Twenty to forty parameters are compared at a time, each interval is wrong one time in twenty, and
// it holds what differs between the launches of one run, not what differs between runs. So
// intervals must be as far apart again as the wider of them is wide.
standing compare(const estimate& before, const estimate& after, double slack) {
  const auto& [low, high] = *before.interval;
  const auto& [new_low, new_high] = *after.interval;
  const double apart = std::max({slack, high - low, new_high - new_low});
  if (new_low - high > apart) return standing::worse;
  if (low - new_high > apart) return standing::better;
  return standing::same;
}

comparison compare(const profile& before, const profile& after) {
  comparison out;
  const double clock = std::max(before.at.clock_resolution_ns, after.at.clock_resolution_ns);
  for (const layer_profile& one : before.layers) {
    const auto other = std::ranges::find(after.layers, one.who, &layer_profile::who);
    if (other != after.layers.end()) out.layers.push_back(compare(one, *other, clock));
  }
  out.only_before = missing_in(after, before);
  out.only_after = missing_in(before, after);
  return out;
}

std::size_t comparison::count(standing which) const {
  std::size_t out = 0;
  for (const compared_layer& one : layers)
    if (one.decides)
      out += static_cast<std::size_t>(std::ranges::count(one.parameters, which, &compared::is));
  return out;
}

}  // namespace calib
