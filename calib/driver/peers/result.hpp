// The result of `am-calibrate peers`, before it is written as tables or as JSON.
#pragma once

#include <calib/driver/measure/measurement.hpp>
#include <calib/driver/peers/metric.hpp>
#include <calib/statistics.hpp>

#include <map>
#include <string>
#include <vector>

namespace calib {

// The median over rounds of a metric of a layer.
struct row {
  measured_layer layer;
  calib::metric metric;
  std::string variant;  // the best one over all rounds
  estimate value;       // ns, or GB/s
  std::string remark;
};

// A layer's value by that of `against` over the same transport, in the same round; the median over
// rounds. Of times less is better, of rates more.
struct ratio {
  measured_layer layer;
  measured_layer against;
  calib::metric metric;          // of `layer`
  calib::metric against_metric;  // of `against`: flood where limit-ring is the limit of rr_flood
  estimate value;
};

// How much longer a piece of bulk data takes over `layer` than over its transport's limit, in the
// same round; the median over rounds.
struct excess {
  measured_layer layer;
  measured_layer against;
  calib::metric metric;
  estimate ns;
};

struct result : measurement {
  bool ratios_reached = false;
  std::map<std::string, estimate> lone_after_flood;  // ratio to the layer's rtt
  std::vector<row> rows;
  std::vector<ratio> ratios;
  std::vector<excess> excesses;
};

// A ratio is known well enough when its interval reaches this far, as a part of the median.
inline constexpr double ratio_within = 0.02;

// Sets what follows from the launches: rows, ratios, excesses, pinning, notes and remarks.
void analyse(result& into);

// Are all ratios known to within ratio_within?
bool ratios_reached(const std::vector<launch>& launches);

}  // namespace calib
