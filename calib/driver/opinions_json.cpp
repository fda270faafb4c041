#include <calib/driver/opinions_json.hpp>

namespace calib {
namespace {

json json_of(const second_opinion& from) {
  const auto off = [](const second_value& of) { return of.off ? json(rounded(*of.off)) : json(); };
  return {{"o", value_of(from.o.value, "ns", "")},
          {"g", value_of(from.g.value, "ns", "")},
          {"G", value_of(from.G.value, "ns/B", "")},
          {"bytes_of_o", from.bytes},
          {"against", {{"o", off(from.o)}, {"g", off(from.g)}, {"G", off(from.G)}}}};
}

json json_of(const startup_fit& from) {
  return {{"T0", value_of(from.T0, "ns", "")},
          {"R_inf", value_of(from.R_inf, "GB/s", "")},
          {"remark",
           "T0 is not to be relied on: o, L and what of them overlaps cannot be told apart in it, "
           "and it may be less than nothing"}};
}

json json_of(const exchange_check& from) {
  json out = {{"measured", value_of(from.measured, "ns", "")},
              {"predicted", value_of(from.predicted, "ns", "")},
              {"off", rounded(from.off)}};
  if (!from.remark.empty()) out["remark"] = from.remark;
  return out;
}

json times_of(const estimate& e) {
  return {{"ratio", rounded(e.median)},
          {"low", bound(e, &estimate::bounds::low)},
          {"high", bound(e, &estimate::bounds::high)}};
}

json json_of(const std::optional<pattern_check>& from, const validation_checks& in) {
  if (!from) return {{"verdict", nullptr}, {"remark", in.why_not}};
  return {{"verdict", from->verdict},
          {"ranks", in.ranks},
          {"g", value_of(from->g, "ns", "")},
          {"rtt", value_of(from->rtt, "ns", "")},
          {"times", {{"g", times_of(from->g_times)}, {"rtt", times_of(from->rtt_times)}}}};
}

}  // namespace

json json_of(const opinions& from) {
  json out = json::object();
  if (from.prtt) out["prtt"] = json_of(*from.prtt);
  if (from.startup) out["startup"] = json_of(*from.startup);
  if (from.exchange) out["exchange"] = json_of(*from.exchange);
  if (from.validation) {
    out["pairs"] = json_of(from.validation->pairs, *from.validation);
    out["one_to_many"] = json_of(from.validation->one_to_many, *from.validation);
    out["many_to_one"] = json_of(from.validation->many_to_one, *from.validation);
  }
  return out;
}

}  // namespace calib
