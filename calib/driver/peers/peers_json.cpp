#include <calib/driver/peers/peers_json.hpp>

#include <calib/driver/measure/measurement_fields.hpp>
#include <calib/driver/output/json_measured.hpp>
#include <calib/format.hpp>

#include <utility>

namespace calib {
namespace {

json value_of(const row& r) {
  return written(record_of(r.value, r.metric.is_rate() ? "GB/s" : "ns", r.remark));
}

// Adds the keys that identify a row.
json with_metric(json out, const measured_layer& layer, const metric& metric) {
  out["transport"] = layer.transport;
  out["probe"] = metric.probe;
  out["bytes"] = metric.bytes;
  if (!metric.form.empty()) out["form"] = metric.form;
  return out;
}

json rows_of(const result& from) {
  json out = json::array();
  for (const row& r : from.rows) {
    json one = with_metric({{"layer", r.layer.name}}, r.layer, r.metric);
    one["value"] = value_of(r);
    out.push_back(std::move(one));
  }
  return out;
}

// Ratios or excesses, with their value under this key.
template <class Compared>
json compared(const std::vector<Compared>& all, const char* key, estimate Compared::*value) {
  json out = json::array();
  for (const Compared& c : all) {
    json one =
        with_metric({{"layer", c.layer.name}, {"against", c.against.name}}, c.layer, c.metric);
    one.update(bounded(key, c.*value));
    out.push_back(std::move(one));
  }
  return out;
}

constexpr char peers_statistics[] =
    "A sample is a batch (200 round trips, at least 50 windows or 20 rings of messages, 12800 "
    "mediums each way but no more than 8 MiB of them, or all pieces of bulk data in 8 MiB or "
    "more, at least two, at both ends; of mediums and bulk data a fifth of the samples, at least "
    "five; over tcp a fifth of all samples, at least five, and with MPI and UCX 4 windows, or "
    "1024 mediums). Warm-up: the samples before the first five in a row whose median lies "
    "between the quartiles of the second half, or within 2 % of its median. A launch counts by "
    "the median of its other samples, a row by the median of its launches, a ratio by the "
    "median of the ratios of the rounds, above_limit by that of the differences; low and high "
    "are exact binomial ranks (95 %). A ratio is of the values of two rows: of rates more is "
    "better. am-shm's rr_flood is held against limit-ring's flood. Variants were tried in round "
    "0; the best over all rounds has the row.";

json conditions_of(const result& from) {
  json out = conditions_of(from, peers_statistics);
  out["ratios_reached"] = from.ratios_reached;
  for (const auto& [layer, times] : from.lone_after_flood)
    out["lone_after_flood"][layer] = bounded("ratio", times);
  out["above_limit"] = compared(from.excesses, "ns", &excess::ns);
  return out;
}

}  // namespace

std::string json_of(const result& from) {
  return document_of(
      "am-peers/1", from, conditions_of(from),
      {{"rows", rows_of(from)}, {"ratios", compared(from.ratios, "ratio", &ratio::value)}});
}

}  // namespace calib
