#include <calib/driver/measure/measurement_json.hpp>
#include <calib/driver/output/json_values.hpp>
#include <calib/driver/profile/cross_checks_json.hpp>
#include <calib/driver/profile/profile_json.hpp>
#include <calib/format.hpp>

namespace calib {
namespace {

json value_of(const logp::parameter& p, const char* unit) {
  if (p.value) {
    json out = value_of(*p.value, unit, p.remark);
    out["reached"] = p.reached();
    return out;
  }
  return {{"median", nullptr}, {"low", nullptr},    {"high", nullptr}, {"unit", unit}, {"n", 0},
          {"reached", false},  {"remark", p.remark}};
}

json signature_of(const layer_profile& from) {
  json out = json::array();
  for (const signature_point& p : from.signature)
    out.push_back({{"messages", p.messages == 0 ? json(nullptr) : json(p.messages)},
                   {"delay_ns", rounded(p.delay_ns)},
                   {"ns", rounded(p.ns)}});
  return out;
}

json cost_of(const loggp_cost& one) {
  return {{"G", value_of(one.G, "ns/B", "")}, {"g0", value_of(one.g0, "ns", "")}};
}

// G and g0 are of stores, where there are any; segments are of all operations.
json loggp_of(const layer_profile& from) {
  const logp::parameter unknown{"", std::nullopt, "no piece of data has a gap"};
  json out = {{"G", value_of(unknown, "ns/B")}, {"g0", value_of(unknown, "ns")}};
  if (!from.loggp.empty()) out = cost_of(from.loggp.front());
  json segments = json::array();
  for (const loggp_cost& one : from.loggp)
    for (const logp::gap_segment& segment : one.segments)
      segments.push_back({{"operation", one.operation},
                          {"from", segment.from},
                          {"to", segment.to},
                          {"g0", rounded(segment.g0)},
                          {"G", rounded(segment.G * 1000) / 1000}});
  out["segments"] = segments;
  return out;
}

json sizes_of(const layer_profile& from) {
  json out = json::array();
  for (const sized_cost& one : from.sizes)
    out.push_back({{"operation", one.operation},
                   {"bytes", one.bytes},
                   {"o", value_of(one.o, "ns", "")},
                   {"g", value_of(one.g, "ns", "")},
                   {"T", value_of(one.T, "ns", "")},
                   {"bandwidth", value_of(one.bandwidth(), "GB/s")}});
  return out;
}

json layer_of(const layer_profile& from) {
  json logp = json::object();
  for (const logp::parameter& p : from.logp.parameters) logp[p.name] = value_of(p, "ns");
  return {{"logp", logp},
          {"loggp", loggp_of(from)},
          {"by_size", sizes_of(from)},
          {"signature", signature_of(from)},
          {"validation", json_of(from.cross_checks)},
          {"remarks", from.logp.remarks}};
}

// By layer and operation; without the first operation, whose costs `loggp` has.
json other_costs_of(const profile& from) {
  json out = json::object();
  for (const layer_profile& one : from.layers)
    for (std::size_t i = 1; i < one.loggp.size(); ++i)
      out[one.name()][one.loggp[i].operation] = cost_of(one.loggp[i]);
  return out;
}

constexpr char statistics[] =
    "A launch counts by the median of its samples without warm-up; its parameters are read from "
    "these. A parameter is the median over launches, low and high are exact binomial ranks (95 "
    "%). rtt is back to back. o_s, o_r: messages two round trips apart. o_s_stream: the second "
    "half of a window of requests sent without a look at answers. o_r_stream: the shortest "
    "delay that sets the pace. g: requests without a delay between them, when as many have gone "
    "before. L = rtt / 2 - o_s - o_r. In the signature, messages null: going on steadily; a "
    "point of less than 20 times the clock's resolution is a slope to the next. T of stores and "
    "requests: what they take with an answer, less half an rtt.";

}  // namespace

std::string json_of(const profile& from) {
  json transports = json::object();
  json peers = json::object();
  for (const layer_profile& one : from.layers)
    (is_ours(one.layer) ? transports : peers)[one.name()] = layer_of(one);
  json conditions = conditions_of(from, statistics);
  conditions["costs"] = other_costs_of(from);
  json out = {{"schema", "am-profile/1"},
              {"fingerprint", from.fingerprint},
              {"machine", machine_of(from.machine)},
              {"conditions", conditions},
              {"complete", from.complete},
              {"transports", transports}};
  if (!peers.empty()) out["layers"] = peers;
  return text_of(out);
}

}  // namespace calib
