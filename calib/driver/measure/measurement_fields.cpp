#include <calib/driver/measure/measurement_fields.hpp>

#include <calib/driver/output/json_text.hpp>

#include <cmath>
#include <utility>

namespace calib {

json plan_of(const plan& of) {
  return {{"samples", of.samples},
          {"trial_samples", of.trial_samples},
          {"least_rounds", of.min_rounds},
          {"most_rounds", of.max_rounds},
          {"transports", of.transports},
          {"bytes", of.bytes},
          {"seed", of.seed}};
}

json pinning_of(const environment& of) {
  json out = json::object();
  for (const auto& [layer, cpus] : of.pinning)
    for (const auto& [rank, cpu] : cpus) out[layer].push_back(cpu);
  return out;
}

// Whole nanoseconds, of rank 0 and of rank 1 by turns.
json paces_of(const series& of) {
  json out = json::array();
  for (const auto& paces : of.paces)
    for (const double ns : paces) out.push_back(std::lround(ns));
  return out;
}

json launches_of(const std::vector<launch>& launches) {
  json out = json::array();
  for (const launch& one : launches) {
    json l = {{"round", one.round}, {"layer", one.layer.name}, {"transport", one.layer.transport}};
    if (!one.fault.empty()) l["fault"] = one.fault;
    l["measured"] = json::array();
    for (const series& s : one.measured) {
      l["measured"].push_back({{"probe", s.probe},
                               {"variant", s.variant},
                               {"warm_up", s.warm_up},
                               {"samples", s.samples}});
      if (!s.lines.empty()) l["measured"].back()["lines"] = s.lines;
      if (!s.paces.empty()) l["measured"].back()["paces"] = paces_of(s);
    }
    out.push_back(std::move(l));
  }
  return out;
}

json conditions_of(const measurement& from, const char* statistics) {
  json_writer conditions;
  measurement of = from;
  describe_conditions(conditions, of, statistics);
  return std::move(conditions.out);
}

std::string document_of(const char* schema, const measurement& from, json conditions,
                        const json& rest) {
  json whole = {{"schema", schema},
                {"machine", written(from.machine)},
                {"conditions", std::move(conditions)},
                {"complete", from.complete}};
  whole.update(rest);
  return text_of(whole);
}

}  // namespace calib
