#include <calib/driver/profile/runtime_figures.hpp>

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
  const json_field logp = runtime["transports"][used]["logp"];
  for (const char* name : needed)
    usable = usable && logp[name]["unit"].text() == "ns" && logp[name]["median"].number() > 0;
  into.of.of.has_runtime = usable;
}

json form_of(const runtime_figures&) {
  return {
      {"type", "object"},
      {"required", {"complete", "transports"}},
      {"properties", {{"complete", {{"type", "boolean"}}}, {"transports", {{"type", "object"}}}}}};
}

}  // namespace calib
