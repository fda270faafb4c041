#include <calib/driver/comb/comb_result.hpp>

#include <calib/driver/measure/measurement_fields.hpp>
#include <calib/driver/output/json_measured.hpp>
#include <calib/format.hpp>

#include <optional>
#include <utility>

namespace calib {
namespace {

constexpr char comb_statistics[] =
    "A launch counts by the medians of its samples. Within a round everything is computed from the "
    "launches of one layer; a value is the median of the rounds; low and high are exact binomial "
    "ranks (95 %). Bandwidth is of both directions together.";

json ns(const estimate& of) { return written(record_of(of, "ns", "")); }
json rate(const estimate& of) { return written(record_of(of, "GB/s", "")); }
json share(const estimate& of) { return bounded("median", of); }
json share(const std::optional<estimate>& of) { return of ? share(*of) : json(); }

json head_of(const comb_case& of, const estimate& merit) {
  return {{"method", of.method}, {"bytes", of.bytes}, {"depth", of.depth}, {"merit", share(merit)}};
}

json points_of(const polling_curve& of) {
  json out = json::array();
  for (const polling_point& one : of.points)
    out.push_back({{"interval", one.iterations},
                   {"dry", ns(one.dry)},
                   {"piece", ns(one.piece)},
                   {"bandwidth", rate(one.bandwidth)},
                   {"availability", share(one.availability)}});
  return out;
}

json curve_of(const polling_curve& of) {
  json out = head_of(of.of, of.merit);
  out["knee"] = of.knee ? json{{"interval", of.knee->iterations},
                               {"share", rounded(of.knee->share)},
                               {"availability", rounded(of.knee->availability)}}
                        : json();
  out["points"] = points_of(of);
  return out;
}

json points_of(const pww_curve& of) {
  json out = json::array();
  for (const pww_point& one : of.points) {
    json point = {{"work", one.iterations},
                  {"dry", ns(one.dry)},
                  {"post", ns(one.post)},
                  {"worked", ns(one.worked)}};
    if (of.of.method == "pww-test") point["test"] = ns(one.test);
    point["wait"] = ns(one.wait);
    point["bandwidth"] = rate(one.bandwidth);
    point["availability"] = share(one.availability);
    out.push_back(std::move(point));
  }
  return out;
}

json curve_of(const pww_curve& of) {
  json out = head_of(of.of, of.merit);
  out["offload"] = share(of.hidden);
  out["slope"] = share(of.slope);
  const pww_point& loaded = of.points[of.loaded];
  out["overhead"] = {{"work", loaded.iterations},
                     {"time", ns(loaded.overhead)},
                     {"part", share(loaded.overhead_part)}};
  out["points"] = points_of(of);
  return out;
}

json layer_of(const comb_layer& of) {
  json polling = json::array();
  for (const polling_curve& one : of.polling) polling.push_back(curve_of(one));
  json pww = json::array();
  for (const pww_curve& one : of.pww) pww.push_back(curve_of(one));
  return {{"layer", of.layer.name},        {"transport", of.layer.transport},
          {"iteration", ns(of.iteration)}, {"drift", share(of.drift)},
          {"polling", std::move(polling)}, {"pww", std::move(pww)},
          {"verdicts", of.verdicts}};
}

}  // namespace

std::string json_of(const comb_result& from) {
  json layers = json::array();
  for (const comb_layer& one : from.layers) layers.push_back(layer_of(one));
  return document_of("am-comb/1", from, conditions_of(from, comb_statistics),
                     {{"layers", std::move(layers)}});
}

}  // namespace calib
