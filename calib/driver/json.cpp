#include <calib/driver/json.hpp>

#include <calib/driver/analysis.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace calib {
namespace {

using json = nlohmann::ordered_json;

// Picoseconds and ten-thousandths are finer than anything here is known.
double rounded(double value) { return std::round(value * 10'000) / 10'000; }

json bound(const estimate& e, double estimate::bounds::*which) {
  return e.interval ? json(rounded(*e.interval.*which)) : json(nullptr);
}

json value_of(const row& r) {
  json out = {{"median", rounded(r.value.median)},
              {"low", bound(r.value, &estimate::bounds::low)},
              {"high", bound(r.value, &estimate::bounds::high)},
              {"unit", r.about.is_rate() ? "GB/s" : "ns"},
              {"n", r.value.n},
              {"reached", r.value.within(value_within)}};
  if (!r.remark.empty()) out["remark"] = r.remark;
  return out;
}

// The keys that say what a figure is about.
json with_subject(json out, const carrier& who, const subject& about) {
  out["transport"] = who.transport;
  out["probe"] = about.probe;
  out["bytes"] = about.bytes;
  if (!about.form.empty()) out["form"] = about.form;
  return out;
}

json rows_of(const result& from) {
  json out = json::array();
  for (const row& r : from.rows) {
    json one = with_subject({{"layer", r.who.layer}}, r.who, r.about);
    one["value"] = value_of(r);
    out.push_back(std::move(one));
  }
  return out;
}

json ratios_of(const result& from) {
  json out = json::array();
  for (const ratio& r : from.ratios) {
    json one = with_subject({{"layer", r.who.layer}, {"against", r.against.layer}}, r.who, r.about);
    one["ratio"] = rounded(r.value.median);
    one["low"] = bound(r.value, &estimate::bounds::low);
    one["high"] = bound(r.value, &estimate::bounds::high);
    out.push_back(std::move(one));
  }
  return out;
}

json excesses_of(const result& from) {
  json out = json::array();
  for (const excess& e : from.excesses) {
    json one = with_subject({{"layer", e.who.layer}, {"against", e.against.layer}}, e.who, e.about);
    one["ns"] = rounded(e.ns.median);
    one["low"] = bound(e.ns, &estimate::bounds::low);
    one["high"] = bound(e.ns, &estimate::bounds::high);
    out.push_back(std::move(one));
  }
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

json launches_of(const result& from) {
  json out = json::array();
  for (const launch& one : from.launches) {
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

json conditions_of(const result& from) {
  const conditions& c = from.conditions;
  json pinning = json::object();
  for (const auto& [layer, cpus] : c.pinning)
    for (const auto& [rank, cpu] : cpus) pinning[layer].push_back(cpu);
  json out = {
      {"plan",
       {{"samples", c.planned.samples},
        {"trial_samples", c.planned.trial_samples},
        {"least_rounds", c.planned.least},
        {"most_rounds", c.planned.most},
        {"transports", c.planned.transports},
        {"bytes", c.planned.bytes},
        {"seed", c.planned.seed}}},
      {"rounds", c.rounds},
      {"seconds", rounded(c.seconds)},
      {"ratios_reached", c.ratios_reached},
      {"clock",
       {{"source", c.clock},
        {"resolution_ns", rounded(c.clock_resolution_ns)},
        {"cost_ns", rounded(c.clock_cost_ns)}}},
      {"allowed_cpus", c.allowed_cpus},
      {"pinning", pinning},
      {"cores_shared", c.cores_shared},
      {"governor", c.governor.empty() ? json(nullptr) : json(c.governor)},
      {"stolen", rounded(c.stolen)},
      {"others", rounded(c.others)},
      {"load", {rounded(c.load_before), rounded(c.load_after)}},
      {"settings", c.notes},
      {"statistics",
       "A sample is a batch (200 round trips, at least 50 windows or 20 rings of messages, or all "
       "pieces of bulk data in 8 MiB or more, at least two, at both ends; of the latter a fifth of "
       "the samples, at least five; over tcp a fifth of all samples, at least five, and with MPI "
       "and "
       "UCX 4 windows). Warm-up: the samples before the first five in a row whose "
       "median lies between the quartiles of the second half, or within 2 % of its median. A "
       "launch counts by the median of its other samples, a row by the median of its launches, a "
       "ratio by the median of the ratios of the rounds, above_limit by that of the differences; "
       "low and high are exact binomial ranks (95 %). A ratio is of the values of two rows: of "
       "rates more is better. am-shm's rr_flood is held against limit-ring's flood. Variants were "
       "tried in round 0; the best over all rounds has the row."}};
  for (const auto& [layer, times] : c.lone_after_flood)
    out["lone_after_flood"][layer] = {{"ratio", rounded(times.median)},
                                      {"low", bound(times, &estimate::bounds::low)},
                                      {"high", bound(times, &estimate::bounds::high)}};
  out["above_limit"] = excesses_of(from);
  out["remarks"] = from.remarks;
  out["unfit"] = from.unfit;
  out["failed"] = from.failed;
  out["missing"] = from.missing;
  out["launches"] = launches_of(from);
  return out;
}

bool fits_a_line(const json& value) {
  return std::none_of(value.begin(), value.end(),
                      [](const json& part) { return part.is_structured(); });
}

// As dump(2), but what holds nothing nested stays on one line.
void print(const json& value, const std::string& indent, std::string& out) {
  if (!value.is_structured() || value.empty() || fits_a_line(value)) {
    out += value.dump();
    return;
  }
  const std::string deeper = indent + "  ";
  out += value.is_object() ? '{' : '[';
  const char* separator = "\n";
  for (const auto& [key, part] : value.items()) {
    out += separator + deeper;
    if (value.is_object()) out += json(key).dump() + ": ";
    print(part, deeper, out);
    separator = ",\n";
  }
  out += '\n' + indent + (value.is_object() ? '}' : ']');
}

}  // namespace

std::string json_of(const result& from) {
  const json whole = {{"schema", "am-peers/1"},
                      {"machine", machine_of(from.machine)},
                      {"conditions", conditions_of(from)},
                      {"complete", from.complete},
                      {"rows", rows_of(from)},
                      {"ratios", ratios_of(from)}};
  std::string out;
  print(whole, "", out);
  return out + '\n';
}

}  // namespace calib
