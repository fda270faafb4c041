#include <calib/driver/profile/runtime_figures.hpp>

#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>

namespace calib {
namespace {

constexpr char used[] = "shm";  // libam chooses by what messages cost over it alone
constexpr const char* needed[] = {"o_s", "g", "rtt"};  // others may be unknown

json value_of(const std::optional<estimate>& of) {
  return {{"median", of ? written(of->median) : json(nullptr)}, {"unit", "ns"}};
}

json costs_of(const layer_record& from) {
  json out = {{"logp", json::object()}, {"by_size", json::array()}};
  for (const char* name : {"o_s", "o_r", "g", "rtt"})
    out["logp"][name] = value_of(from.logp[name].value);
  if (from.wake_up) out["wake_up"] = value_of(from.wake_up);
  for (const sized_cost& one : from.sizes)
    if (one.operation == "medium")
      out["by_size"].push_back({{"operation", one.operation},
                                {"bytes", one.bytes},
                                {"o", value_of(one.o)},
                                {"g", value_of(one.g)},
                                {"T", value_of(one.T)}});
  return out;
}

// The reader's limit (libam/profile/figures.cpp): no message takes longer than a second.
constexpr double most_ns = 1e9;

// As it reads a time. Nothing: the time is not known.
std::optional<double> time_of(const json_field& value) {
  const auto unit = value.find("unit");
  if (unit && unit->text() != "ns") unit->expected("ns");
  const json_field median = value["median"];
  if (median.is_null()) return std::nullopt;
  const double ns = median.number();
  if (std::abs(ns) > most_ns) median.expected("at most a second");
  return ns;
}

// Times that may be missing, for their faults alone.
void check_times(const json_field& of, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const auto value = of.find(name)) (void)time_of(*value);
}

}  // namespace

json written(const runtime_figures& figures) {
  const profile& whole = figures.of.of;
  json out = {{"complete", whole.complete && whole.unfit.empty()}, {"transports", json::object()}};
  for (const auto& [name, costs] : figures.of.layers.transports)
    if (name == used) out["transports"][name] = costs_of(costs);
  return out;
}

void read(const json_field& from, const runtime_figures& into) {
  std::string fault;  // is none of the profile's, which has everything a second time
  const json_field runtime = from.with_own_fault(fault);
  bool usable = runtime["complete"].boolean();
  const json_field costs = runtime["transports"][used];
  for (const char* name : needed) usable = time_of(costs["logp"][name]) > 0.0 && usable;
  check_times(costs["logp"], {"o_r"});
  check_times(costs, {"wake_up"});
  if (const auto sizes = costs.find("by_size"))
    for (const json_field& one : sizes->items()) {
      if (const auto operation = one.find("operation")) (void)operation->text();
      if (const auto bytes = one.find("bytes")) (void)bytes->number();
      check_times(one, {"o", "g", "T"});
    }
  into.of.of.has_runtime = usable && runtime.good();
}

json form_of(const runtime_figures&) {
  return {
      {"type", "object"},
      {"required", {"complete", "transports"}},
      {"properties", {{"complete", {{"type", "boolean"}}}, {"transports", {{"type", "object"}}}}}};
}

}  // namespace calib
