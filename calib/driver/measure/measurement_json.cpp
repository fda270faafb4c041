#include <calib/driver/measure/measurement_json.hpp>

#include <calib/driver/output/json_values.hpp>
#include <calib/format.hpp>

#include <limits>
#include <utility>

namespace calib {
namespace {

json launches_of(const std::vector<launch>& launches) {
  json out = json::array();
  for (const launch& one : launches) {
    json l = {{"round", one.round}, {"layer", one.layer.name}, {"transport", one.layer.transport}};
    if (!one.fault.empty()) l["fault"] = one.fault;
    l["measured"] = json::array();
    for (const series& s : one.measured)
      l["measured"].push_back({{"probe", s.probe},
                               {"variant", s.variant},
                               {"warm_up", s.warm_up},
                               {"samples", s.samples}});
    out.push_back(std::move(l));
  }
  return out;
}

json plan_of(const plan& of) {
  return {{"samples", of.samples},
          {"trial_samples", of.trial_samples},
          {"least_rounds", of.min_rounds},
          {"most_rounds", of.max_rounds},
          {"transports", of.transports},
          {"bytes", of.bytes},
          {"seed", of.seed}};
}

void add_environment(const environment& from, json& to) {
  json pinning = json::object();
  for (const auto& [layer, cpus] : from.pinning)
    for (const auto& [rank, cpu] : cpus) pinning[layer].push_back(cpu);
  to["seconds"] = rounded(from.seconds);
  to["clock"] = {{"source", from.clock},
                 {"resolution_ns", rounded(from.clock_resolution_ns)},
                 {"cost_ns", rounded(from.clock_cost_ns)}};
  to["allowed_cpus"] = from.allowed_cpus;
  to["pinning"] = pinning;
  to["cores_shared"] = from.cores_shared;
  to["governor"] = from.governor.empty() ? json(nullptr) : json(from.governor);
  to["stolen"] = rounded(from.stolen);
  to["others"] = from.others ? json(rounded(*from.others)) : json(nullptr);
  to["load"] = {rounded(from.load_before), rounded(from.load_after)};
  to["settings"] = from.notes;
}

}  // namespace

json machine_of(const machine& m) {
  return {{"cpu", m.cpu},
          {"cores", m.cores},
          {"caches", m.caches},
          {"hypervisor", m.hypervisor.empty() ? json(nullptr) : json(m.hypervisor)},
          {"kernel", m.kernel},
          {"memory_gib", rounded(m.memory_gib)}};
}

json conditions_of(const measurement& from, const char* statistics) {
  json out = {{"plan", plan_of(from.plan)}, {"rounds", from.rounds}, {"statistics", statistics}};
  add_environment(from.environment, out);
  out["remarks"] = from.remarks;
  out["unfit"] = from.unfit;
  out["failed"] = from.failed;
  out["missing"] = from.missing;
  out["launches"] = launches_of(from.launches);
  return out;
}

machine machine_from(const json_field& from) {
  machine out;
  out.cpu = from["cpu"].text();
  const std::uint64_t cores = from["cores"].count();
  if (cores > std::numeric_limits<unsigned>::max()) from["cores"].expected("a number of cores");
  out.cores = static_cast<unsigned>(cores);
  out.caches = from["caches"].texts();
  if (!from["hypervisor"].is_null()) out.hypervisor = from["hypervisor"].text();
  out.kernel = from["kernel"].text();
  out.memory_gib = from["memory_gib"].number();
  return out;
}

void read_conditions(const json_field& from, measurement& into) {
  if (const auto seconds = from.find("seconds")) into.environment.seconds = seconds->number();
  if (const auto clock = from.find("clock"))
    into.environment.clock_resolution_ns = (*clock)["resolution_ns"].number();
  for (const auto& [key, lines] :
       {std::pair("remarks", &into.remarks), std::pair("unfit", &into.unfit),
        std::pair("failed", &into.failed)})
    if (const auto found = from.find(key)) *lines = found->texts();
}

}  // namespace calib
