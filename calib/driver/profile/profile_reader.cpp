#include <calib/driver/launch/catalogue.hpp>
#include <calib/driver/measure/measurement_json.hpp>
#include <calib/driver/output/json_values.hpp>
#include <calib/driver/profile/cross_checks_json.hpp>
#include <calib/driver/profile/profile_json.hpp>
#include <calib/driver/profile/sized_costs.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <exception>

namespace calib {
namespace {

logp::summary logp_from(const json_field& layer) {
  logp::summary out;
  const json_field from = layer["logp"];
  for (const char* name : {"o_s", "o_r", "o_s_stream", "o_r_stream", "g", "L", "rtt"}) {
    const json_field one = from[name];
    const auto remark = one.find("remark");
    out.parameters.push_back({name, value_from(one, "ns"), remark ? remark->text() : ""});
  }
  if (const std::optional<estimate>& rtt = out["rtt"].value)
    std::ranges::find(out.parameters, "L", &logp::parameter::name)->part_of = rtt->median / 2;
  if (const auto remarks = layer.find("remarks")) out.remarks = remarks->texts();
  return out;
}

std::vector<signature_point> signature_from(const json_field& from) {
  std::vector<signature_point> out;
  for (const json_field& one : from.items())
    out.push_back({one["messages"].is_null() ? 0 : one["messages"].count(),
                   one["delay_ns"].number(), one["ns"].number()});
  return out;
}

std::vector<sized_cost> sizes_from(const json_field& from) {
  std::vector<sized_cost> out;
  for (const json_field& one : from.items()) {
    out.push_back({one["operation"].text(), one["bytes"].count(), known_from(one["o"], "ns"),
                   known_from(one["g"], "ns"), known_from(one["T"], "ns")});
    (void)value_from(one["bandwidth"], "GB/s");  // follows from g
  }
  return out;
}

// Without a value in the file only the operation's segments are known: `of_segment` is theirs.
std::optional<estimate> cost_from(const std::optional<json_field>& costs, const char* name,
                                  const char* unit, double of_segment) {
  const auto found = costs ? costs->find(name) : std::nullopt;
  return found ? value_from(*found, unit) : estimate{of_segment, std::nullopt, 0};
}

// The operations in the order of their first segments.
std::vector<loggp_cost> segments_from(const json_field& from) {
  std::vector<loggp_cost> out;
  for (const json_field& one : from.items()) {
    const std::string operation = one["operation"].text();
    auto at = std::ranges::find(out, operation, &loggp_cost::operation);
    if (at == out.end()) at = out.insert(at, {operation, {}, {}, {}, {}});
    at->segments.push_back(
        {one["from"].number(), one["to"].number(), one["g0"].number(), one["G"].number()});
  }
  return out;
}

// `from` has G and g0 of the first operation, `others` those of the other operations.
std::vector<loggp_cost> loggp_from(const json_field& from, const std::optional<json_field>& others,
                                   const std::vector<sized_cost>& sizes) {
  std::vector<loggp_cost> out;
  std::vector<loggp_cost> all = segments_from(from["segments"]);
  for (loggp_cost& one : all) {
    const auto costs = &one == &all.front() ? std::optional(from)
                       : others             ? others->find(one.operation)
                                            : std::nullopt;
    const auto G = cost_from(costs, "G", "ns/B", one.segments.back().G);
    const auto g0 = cost_from(costs, "g0", "ns", one.segments.front().g0);
    if (!G || !g0) continue;
    one.G = *G;
    one.g0 = *g0;
    one.half_bandwidth_bytes = half_bandwidth(sizes, one.operation);
    out.push_back(std::move(one));
  }
  return out;
}

measured_layer layer_from(const std::string& group, const std::string& key) {
  if (group == "transports") return {"am-" + key, key};
  for (const measured_layer& layer : measured_layers())
    if (name_of(layer) == key) return layer;
  const std::size_t over = key.find(" over ");
  if (over == std::string::npos) return {key, ""};
  return {key.substr(0, over), key.substr(over + 6)};
}

void read_layers(const json_field& whole, const std::string& group, profile& into) {
  const auto all_costs = whole["conditions"].find("costs");
  const auto found = whole.find(group);
  if (!found) return;
  for (const auto& [key, from] : found->members()) {
    layer_profile one;
    one.layer = layer_from(group, key);
    one.logp = logp_from(from);
    one.signature = signature_from(from["signature"]);
    one.sizes = sizes_from(from["by_size"]);
    one.loggp =
        loggp_from(from["loggp"], all_costs ? all_costs->find(key) : std::nullopt, one.sizes);
    one.cross_checks = cross_checks_from(from["validation"]);
    into.layers.push_back(std::move(one));
  }
}

profile profile_from(const json_field& whole) {
  profile out;
  if (whole["schema"].text() != "am-profile/1") whole["schema"].expected("\"am-profile/1\"");
  out.fingerprint = whole["fingerprint"].text();
  out.machine = machine_from(whole["machine"]);
  read_conditions(whole["conditions"], out);
  out.complete = whole["complete"].boolean();
  (void)whole["transports"];
  read_layers(whole, "transports", out);
  read_layers(whole, "layers", out);
  return out;
}

}  // namespace

std::optional<profile> parse_profile(const std::string& text, std::string& problem) {
  problem.clear();
  try {
    const json whole = json::parse(text);
    profile out = profile_from(json_field(whole, problem));
    if (problem.empty()) return out;
  } catch (const json::parse_error& error) {
    problem = format("no JSON at byte {} of {}", error.byte, text.size());
  } catch (const std::exception& error) {
    problem = error.what();
  }
  return std::nullopt;
}

}  // namespace calib
