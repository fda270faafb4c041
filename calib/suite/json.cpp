#include <calib/driver/measure/measurement_fields.hpp>
#include <calib/driver/output/json_measured.hpp>
#include <calib/suite/predict/output.hpp>
#include <calib/suite/result.hpp>
#include <calib/suite/sensitivity/json.hpp>

#include <utility>

namespace calib::suite {
namespace {

constexpr char statistics[] =
    "A launch is one job, which runs its program several times on the same input; it counts by the "
    "median of these runs after warm-up, a row by the median of its launches, a ratio by the "
    "median "
    "of the ratios of the rounds; low and high are exact binomial ranks (95 %). A time is that of "
    "the rank that took longest, a count the mean of all ranks.";

json rows_of(const result& from) {
  json out = json::array();
  for (const row& r : from.rows) {
    json one = identified(r.entry);
    one["phase"] = r.phase;
    one["value"] = written(record_of(r.ns, "ns", ""));
    out.push_back(std::move(one));
  }
  return out;
}

json traffic_of(const result& from) {
  json out = json::array();
  for (const traffic_row& r : from.traffic) {
    json one = identified(r.entry);
    one["messages"] = r.messages;
    one["bulk_messages"] = r.bulk_messages;
    one["bulk_bytes"] = r.bulk_bytes;
    one["reads"] = r.reads;
    one["barriers"] = r.barriers;
    out.push_back(std::move(one));
  }
  return out;
}

json ratios_of(const result& from) {
  json out = json::array();
  for (const ratio& r : from.ratios) {
    json one = identified(r.entry);
    one["against"] = {{"layer", r.against.layer}, {"variant", r.against.variant}};
    one.update(bounded("ratio", r.value));
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

std::string json_of(const result& from) {
  json rest = {{"rows", rows_of(from)}, {"traffic", traffic_of(from)}, {"ratios", ratios_of(from)}};
  if (!from.input.empty()) rest["input"] = from.input;
  if (!from.sensitivities.empty()) rest["sensitivity"] = sensitivities_of(from);
  if (!from.predictions.empty()) rest["predictions"] = predictions_of(from);
  return document_of("am-suite/1", from, conditions_of(from, statistics), rest);
}

}  // namespace calib::suite
