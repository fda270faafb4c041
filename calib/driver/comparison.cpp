#include <calib/driver/comparison.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <cmath>

namespace calib {
namespace {

constexpr double claimed = 0.05;  // so well a figure is known at best

using values = std::vector<logp::parameter>;

// Everything that is compared, by name; of pieces of data what this operation costs, if it is
// known.
values values_of(const layer_profile& of, const std::string& operation) {
  values out = of.logp.parameters;
  const auto cost = std::ranges::find(of.loggp, operation, &loggp_cost::operation);
  const bool known = cost != of.loggp.end();
  out.push_back({"G", known ? std::optional(cost->G) : std::nullopt, ""});
  out.push_back({"g0", known ? std::optional(cost->g0) : std::nullopt, ""});
  return out;
}

// The one that both know, or else that one of them knows.
std::string operation_of(const layer_profile& before, const layer_profile& after) {
  for (const loggp_cost& one : before.loggp)
    if (std::ranges::find(after.loggp, one.operation, &loggp_cost::operation) != after.loggp.end())
      return one.operation;
  const std::vector<loggp_cost>& any = before.loggp.empty() ? after.loggp : before.loggp;
  return any.empty() ? "" : any.front().operation;
}

double size_of(const values& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &logp::parameter::name);
  return found == all.end() || !found->value ? 0 : std::abs(found->value->median);
}

// What is a part of something is known as well as that: L is what is left of half a round trip, and
// what is inside a stream makes up its gap.
double scale_of(const values& all, const std::string& name) {
  const double own = size_of(all, name);
  if (name == "L") return std::max(own, size_of(all, "rtt") / 2);
  if (name.ends_with("_stream") || name == "g0") return std::max(own, size_of(all, "g"));
  return own;
}

double width(const weighed& of) { return of.value.interval->high - of.value.interval->low; }

// The width of the wider interval. It is taken as a part, of the smaller scale, because what has
// become much longer and unsteady, too, would otherwise be as it was.
double unsteadiness(const weighed& one, const weighed& other) {
  const double scale = std::min(one.scale, other.scale);
  if (scale <= 0) return std::max(width(one), width(other));
  return scale * std::max(width(one) / one.scale, width(other) / other.scale);
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

compared judged(const std::string& name, const values& old, const values& now, double clock) {
  const logp::parameter& before = *std::ranges::find(old, name, &logp::parameter::name);
  const logp::parameter& after = *std::ranges::find(now, name, &logp::parameter::name);
  compared out{name,        name == "G" ? "ns/B" : "ns", before.value,
               after.value, standing::unknown,           why_unknown(before.value, "before")};
  if (out.why.empty()) out.why = why_unknown(after.value, "after");
  if (!out.why.empty()) return out;
  const double scale = scale_of(old, name);
  const double slack = std::max(claimed * scale, is_of_single_messages(name) ? clock : 0.0);
  out.is = compare({*before.value, scale}, {*after.value, scale_of(now, name)}, slack);
  return out;
}

compared_layer side_by_side(const layer_profile& before, const layer_profile& after, double clock) {
  compared_layer out{before.name(), is_ours(before.who), {}};
  const std::string operation = operation_of(before, after);
  const values old = values_of(before, operation);
  const values now = values_of(after, operation);
  for (const logp::parameter& one : old)
    out.parameters.push_back(judged(one.name, old, now, clock));
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
// intervals must be further apart than the wider of them is wide; tests/calib/compare.cpp counts
// what that leaves to chance.
standing compare(const weighed& before, const weighed& after, double slack) {
  constexpr double widths = 1.25;
  const double apart = std::max(slack, widths * unsteadiness(before, after));
  if (after.value.interval->low - before.value.interval->high > apart) return standing::worse;
  if (before.value.interval->low - after.value.interval->high > apart) return standing::better;
  return standing::same;
}

comparison compare(const profile& before, const profile& after) {
  comparison out;
  const double clock = std::max(before.at.clock_resolution_ns, after.at.clock_resolution_ns);
  for (const layer_profile& one : before.layers) {
    const auto other = std::ranges::find(after.layers, one.who, &layer_profile::who);
    if (other != after.layers.end()) out.layers.push_back(side_by_side(one, *other, clock));
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
