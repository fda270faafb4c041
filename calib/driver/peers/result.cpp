#include <calib/driver/peers/result.hpp>

#include <calib/driver/launch/catalogue.hpp>
#include <calib/driver/peers/medians.hpp>
#include <calib/driver/peers/remarks.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <utility>

namespace calib {
namespace {

// The metric of `against` to compare with: limit-ring's flood is the limit of an answered flood.
metric comparable(const measured_layer& against, const metric& metric) {
  return metric.probe == "rr_flood" && against.name == "limit-ring" ? parse_metric("flood")
                                                                    : metric;
}

// In the unit of the metric.
std::vector<double> in_unit(const metric& metric, std::vector<double> ns) {
  if (metric.is_rate())
    for (double& value : ns) value = static_cast<double>(metric.bytes) / value;
  return ns;
}

std::string spread_within(const std::vector<launch>& launches, const row& of) {
  std::vector<double> spreads;
  for (const launch& one : launches)
    for (const series& s : one.measured)
      if (one.round > 0 && one.layer == of.layer && s.variant == of.variant &&
          parse_metric(s.probe) == of.metric)
        spreads.push_back(spread(s.warm()));
  return format("quartiles within a launch {:.1f} % apart", 100 * median(spreads));
}

std::vector<row> rows_of(const median_map& all, const std::vector<launch>& launches) {
  std::vector<row> out;
  for (const measured_layer& layer : measured_layers())
    for (const metric& metric : metrics_of(all))
      if (const auto* chosen = best_variant(all, layer, metric)) {
        row r{layer,
              metric,
              chosen->first,
              estimate_of(in_unit(metric, values_of(chosen->second))),
              {}};
        r.remark = spread_within(launches, r);
        if (!r.value.interval)
          r.remark += format("; {} {} too few for an interval", r.value.n,
                             r.value.n == 1 ? "round is" : "rounds are");
        out.push_back(std::move(r));
      }
  return out;
}

std::vector<ratio> ratios_of(const median_map& all) {
  std::vector<ratio> out;
  for (const measured_layer& layer : measured_layers()) {
    if (!is_ours(layer)) continue;
    for (const measured_layer& against : measured_layers())
      for (const metric& metric : metrics_of(all)) {
        if (against == layer || against.transport != layer.transport) continue;
        const auto theirs = comparable(against, metric);
        const auto* ours = best_variant(all, layer, metric);
        const auto* others = best_variant(all, against, theirs);
        if (const auto value = metric.is_rate() ? ratio_within_rounds(others, ours)
                                                : ratio_within_rounds(ours, others))
          out.push_back({layer, against, metric, theirs, *value});
      }
  }
  return out;
}

std::vector<excess> excesses_of(const median_map& all) {
  std::vector<excess> out;
  for (const measured_layer& layer : measured_layers()) {
    if (!is_ours(layer)) continue;
    const measured_layer limit = bulk_limit_of(layer);
    for (const metric& metric : metrics_of(all)) {
      if (!metric.is_rate()) continue;
      if (const auto ns =
              within_rounds(best_variant(all, layer, metric), best_variant(all, limit, metric),
                            [](double a, double b) { return a - b; }))
        out.push_back({layer, limit, metric, *ns});
    }
  }
  return out;
}

}  // namespace

void analyse(result& into) {
  const median_map all = collect_medians(into.launches);
  into.rows = rows_of(all, into.launches);
  into.ratios = ratios_of(all);
  into.excesses = excesses_of(all);
  collect_notes(into.launches, into.environment);
  for (const row& r : into.rows)
    into.environment.notes[name_of(r.layer)][text_of(r.metric)] = r.variant;
  add_remarks(all, into);
}

bool ratios_reached(const std::vector<launch>& launches) {
  const std::vector<ratio> ratios = ratios_of(collect_medians(launches));
  return std::all_of(ratios.begin(), ratios.end(),
                     [](const ratio& r) { return r.value.within(ratio_within); });
}

}  // namespace calib
