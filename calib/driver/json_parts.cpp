#include <calib/driver/json_parts.hpp>

#include <algorithm>

namespace calib {
namespace {

bool fits_a_line(const json& value) {
  return std::none_of(value.begin(), value.end(),
                      [](const json& part) { return part.is_structured(); });
}

// Programs and settings may say what is no UTF-8; no measurement is lost by that.
std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void print(const json& value, const std::string& indent, std::string& out) {
  if (!value.is_structured() || value.empty() || fits_a_line(value)) {
    out += dumped(value);
    return;
  }
  const std::string deeper = indent + "  ";
  out += value.is_object() ? '{' : '[';
  const char* separator = "\n";
  for (const auto& [key, part] : value.items()) {
    out += separator + deeper;
    if (value.is_object()) out += dumped(key) + ": ";
    print(part, deeper, out);
    separator = ",\n";
  }
  out += '\n' + indent + (value.is_object() ? '}' : ']');
}

json launches_of(const std::vector<launch>& launches) {
  json out = json::array();
  for (const launch& one : launches) {
    json l = {{"round", one.round}, {"layer", one.who.layer}, {"transport", one.who.transport}};
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
  return {{"samples", of.samples},  {"trial_samples", of.trial_samples}, {"least_rounds", of.least},
          {"most_rounds", of.most}, {"transports", of.transports},       {"bytes", of.bytes},
          {"seed", of.seed}};
}

void add_surroundings(const surroundings& from, json& to) {
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

json bound(const estimate& e, double estimate::bounds::*which) {
  return e.interval ? json(rounded(*e.interval.*which)) : json(nullptr);
}

json value_of(const estimate& e, const char* unit, const std::string& remark) {
  json out = {{"median", rounded(e.median)},
              {"low", bound(e, &estimate::bounds::low)},
              {"high", bound(e, &estimate::bounds::high)},
              {"unit", unit},
              {"n", e.n},
              {"reached", e.reached()}};
  if (!remark.empty()) out["remark"] = remark;
  return out;
}

json machine_of(const machine& m) {
  return {{"cpu", m.cpu},
          {"cores", m.cores},
          {"caches", m.caches},
          {"hypervisor", m.hypervisor.empty() ? json(nullptr) : json(m.hypervisor)},
          {"kernel", m.kernel},
          {"memory_gib", rounded(m.memory_gib)}};
}

json conditions_of(const measurement& from, const char* statistics) {
  json out = {{"plan", plan_of(from.planned)}, {"rounds", from.rounds}, {"statistics", statistics}};
  add_surroundings(from.at, out);
  out["remarks"] = from.remarks;
  out["unfit"] = from.unfit;
  out["failed"] = from.failed;
  out["missing"] = from.missing;
  out["launches"] = launches_of(from.launches);
  return out;
}

std::string text_of(const json& value) {
  std::string out;
  print(value, "", out);
  return out + '\n';
}

}  // namespace calib
