#include <calib/driver/profile/comparison.hpp>

#include <calib/driver/profile/compared_conditions.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace calib {
namespace {

constexpr double best_accuracy = 0.05;  // no figure is taken to be known better

using values = std::vector<logp::parameter>;

// All parameters that are compared, by name; G and g0 are those of this operation, if known.
values values_of(const layer_profile& of, const std::string& operation) {
  values out = of.logp.parameters;
  const auto cost = std::ranges::find(of.loggp, operation, &loggp_cost::operation);
  const bool known = cost != of.loggp.end();
  out.push_back({"G", known ? std::optional(cost->G) : std::nullopt, ""});
  out.push_back({"g0", known ? std::optional(cost->g0) : std::nullopt, ""});
  return out;
}

// The first one of `before` that both profiles have; otherwise any that one of them has.
std::string operation_of(const layer_profile& before, const layer_profile& after) {
  for (const loggp_cost& one : before.loggp)
    if (std::ranges::find(after.loggp, one.operation, &loggp_cost::operation) != after.loggp.end())
      return one.operation;
  const std::vector<loggp_cost>& any = before.loggp.empty() ? after.loggp : before.loggp;
  return any.empty() ? "" : any.front().operation;
}

double magnitude_of(const values& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &logp::parameter::name);
  return found == all.end() || !found->value ? 0 : std::abs(found->value->median);
}

// A part is known as well as the whole: L is the rest of half a round trip, and the overheads in a
// stream and g0 are parts of its gap.
double scale_of(const values& all, const std::string& name) {
  const double own = magnitude_of(all, name);
  if (name == "L") return std::max(own, magnitude_of(all, "rtt") / 2);
  if (name.ends_with("_stream") || name == "g0") return std::max(own, magnitude_of(all, "g"));
  return own;
}

double width(const scaled_estimate& of) { return of.value.interval->high - of.value.interval->low; }

// The width of the wider interval, relative to its scale and applied to the smaller scale: a value
// that has become both much longer and unsteady would otherwise count as unchanged.
double unsteadiness(const scaled_estimate& one, const scaled_estimate& other) {
  const double scale = std::min(one.scale, other.scale);
  if (scale <= 0) return std::max(width(one), width(other));
  return scale * std::max(width(one) / one.scale, width(other) / other.scale);
}

// These are measured on single messages, each between two readings of the clock.
bool is_of_single_messages(const std::string& name) {
  return name == "o_s" || name == "o_r" || name == "L";
}

// Empty: the value can be compared.
std::string why_unknown(const std::optional<estimate>& value, const char* where) {
  if (!value) return format("not known {}", where);
  if (!value->interval) return format("no interval {}, of {} launches", where, value->n);
  return {};
}

compared_parameter compare_parameter(const std::string& name, const values& old, const values& now,
                                     double clock) {
  const logp::parameter& before = *std::ranges::find(old, name, &logp::parameter::name);
  const logp::parameter& after = *std::ranges::find(now, name, &logp::parameter::name);
  compared_parameter out{name,
                         name == "G" ? "ns/B" : "ns",
                         before.value,
                         after.value,
                         outcome::unknown,
                         why_unknown(before.value, "before")};
  if (out.reason.empty()) out.reason = why_unknown(after.value, "after");
  if (!out.reason.empty()) return out;
  const double scale = scale_of(old, name);
  const double slack = std::max(best_accuracy * scale, is_of_single_messages(name) ? clock : 0.0);
  out.outcome = compare({*before.value, scale}, {*after.value, scale_of(now, name)}, slack);
  return out;
}

compared_layer compare_layers(const layer_profile& before, const layer_profile& after,
                              double clock) {
  compared_layer out{before.name(), is_ours(before.layer), {}};
  const std::string operation = operation_of(before, after);
  const values old = values_of(before, operation);
  const values now = values_of(after, operation);
  for (const logp::parameter& one : old)
    out.parameters.push_back(compare_parameter(one.name, old, now, clock));
  return out;
}

void add_objections(const char* which, const comparison_side& of, std::vector<std::string>& to) {
  if (!of.is.complete)
    to.push_back(format("{}, {}, is incomplete: the measurement ended early", which, of.file));
  if (of.is.unfit.empty()) return;
  const std::size_t more = of.is.unfit.size() - 1;
  to.push_back(format("{}, {}, is unfit: {}{}", which, of.file, of.is.unfit.front(),
                      more > 0 ? format(" (and {} more)", more) : ""));
}

// As if neither knew a value: what a layer costs in one condition says nothing of another.
void withdraw(compared_layer& from, const std::string& reason) {
  for (compared_parameter& one : from.parameters) {
    one.outcome = outcome::unknown;
    one.reason = reason;
  }
}

std::vector<std::string> missing_in(const std::vector<layer_profile>& other,
                                    const std::vector<layer_profile>& from) {
  std::vector<std::string> out;
  for (const layer_profile& one : from)
    if (std::ranges::find(other, one.layer, &layer_profile::layer) == other.end())
      out.push_back(one.name());
  return out;
}

}  // namespace

// Twenty to forty parameters are compared at a time, each interval is wrong one time in twenty, and
// it covers the differences between launches of one run, not those between runs. So the intervals
// must be further apart than the wider of them is wide; tests/calib/compare.cpp counts the errors
// that are left to chance.
outcome compare(const scaled_estimate& before, const scaled_estimate& after, double slack) {
  constexpr double widths = 1.25;
  const double apart = std::max(slack, widths * unsteadiness(before, after));
  if (after.value.interval->low - before.value.interval->high > apart) return outcome::worse;
  if (before.value.interval->low - after.value.interval->high > apart) return outcome::better;
  return outcome::same;
}

comparison compare(const profile& before, const profile& after) {
  comparison out;
  const double clock =
      std::max(before.environment.clock_resolution_ns, after.environment.clock_resolution_ns);
  const compared_conditions conditions(before, after);
  out.apart = conditions.are_apart();
  out.conditions = conditions.text();
  bool any_alike = false;
  for (const layer_profile& one : before.layers) {
    const auto other = std::ranges::find(after.layers, one.layer, &layer_profile::layer);
    if (other == after.layers.end()) continue;
    const compared_figures figures = conditions.figures_of(one, *other);
    out.layers.push_back(compare_layers(*figures.before, *figures.after, clock));
    if (!figures.why_unlike.empty()) withdraw(out.layers.back(), figures.why_unlike);
    if (!is_ours(one.layer) || one.is_of_one_cpu()) continue;
    if (out.unlike.empty()) out.unlike = figures.why_unlike;
    any_alike = any_alike || figures.why_unlike.empty();
  }
  if (any_alike) out.unlike.clear();
  out.only_before = missing_in(after.layers, before.layers);
  out.only_after = missing_in(before.layers, after.layers);
  return out;
}

std::vector<std::string> objections_to(const comparison_side& before,
                                       const comparison_side& after) {
  std::vector<std::string> out;
  add_objections("A", before, out);
  add_objections("B", after, out);
  if (before.is.fingerprint != after.is.fingerprint)
    out.push_back(format("A and B are of different machines or libams: {}; {}",
                         before.is.fingerprint, after.is.fingerprint));
  return out;
}

std::string comparison::why_not_judged() const {
  if (apart) return "nothing but self can be compared: A and B have no condition in common";
  if (!unlike.empty())
    return format("nothing but self can be compared: the figures are {}", unlike);
  if (count(outcome::same) + count(outcome::better) + count(outcome::worse) > 0) return {};
  return "nothing can be compared: no parameter of libam has an interval in both profiles";
}

std::size_t comparison::count(outcome which) const {
  std::size_t out = 0;
  for (const compared_layer& one : layers)
    if (one.own)
      out += static_cast<std::size_t>(
          std::ranges::count(one.parameters, which, &compared_parameter::outcome));
  return out;
}

}  // namespace calib
