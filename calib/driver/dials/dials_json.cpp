#include <calib/driver/dials/dials_result.hpp>

#include <calib/driver/dials/dial_values.hpp>
#include <calib/driver/measure/measurement_fields.hpp>
#include <calib/driver/output/json_measured.hpp>
#include <calib/format.hpp>

#include <utility>

namespace calib {
namespace {

constexpr char dials_statistics[] =
    "A launch counts by the medians of its samples. Within a round a dialled launch is compared "
    "with that of AM_DIAL=0; a value is the median of the rounds; low and high are exact binomial "
    "ranks (95 %). L is half of rtt, less o_s and o_r; where L is dialled, `seen` is half of what "
    "is added to rtt. An error is seen by wanted, less 1; spread "
    "is the distance of the quartiles of the rounds; mean_error, bias and spread of a dial are "
    "means over the points that are judged: those of at least twice what the parameter is without "
    "a dial.";

json all_of(const parameter_estimates& from) {
  json out = json::object();
  for (std::size_t i = 0; i < parameter_count; ++i)
    if (from[i].n > 0)
      out[parameter_names[i]] = written(record_of(from[i], unit_of(static_cast<parameter>(i)), ""));
  return out;
}

json points_of(const dialled_dial& from) {
  json out = json::array();
  for (const dialled_point& one : from.points)
    out.push_back({{"setting", dial_setting(from.which.name, one.wanted)},
                   {"wanted", one.wanted},
                   {"seen", written(record_of(one.seen, unit_of(from.which.changes), ""))},
                   {"error", bounded("median", one.error)},
                   {"spread", rounded(one.spread)},
                   {"judged", one.judged},
                   {"changes", all_of(one.changes)}});
  return out;
}

// Null: of no point.
json mean_of(const dialled_dial& of, double mean) {
  return of.judged == 0 ? json() : json(rounded(mean));
}

json dials_of(const dialled_transport& from) {
  json out = json::array();
  for (const dialled_dial& one : from.dials) {
    json kept = json::array();
    for (const parameter which : one.which.keeps)
      kept.push_back(parameter_names[static_cast<std::size_t>(which)]);
    out.push_back({{"dial", one.which.name},
                   {"parameter", parameter_names[static_cast<std::size_t>(one.which.changes)]},
                   {"added", is_added(one.which.name)},
                   {"keeps", std::move(kept)},
                   {"judged", one.judged},
                   {"mean_error", mean_of(one, one.mean_error)},
                   {"bias", mean_of(one, one.bias)},
                   {"spread", mean_of(one, one.spread)},
                   {"points", points_of(one)}});
  }
  return out;
}

}  // namespace

std::string json_of(const dials_result& from) {
  json transports = json::object();
  for (const dialled_transport& one : from.transports)
    transports[one.layer.transport] = {
        {"bare", all_of(one.bare)}, {"zero", all_of(one.zero)}, {"dials", dials_of(one)}};
  return document_of("am-dials/1", from, conditions_of(from, dials_statistics),
                     {{"transports", std::move(transports)}, {"off", from.off}});
}

}  // namespace calib
