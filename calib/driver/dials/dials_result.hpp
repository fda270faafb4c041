// The result of `am-calibrate dials`, before it is written as tables or as JSON.
#pragma once

#include <calib/driver/dials/sweep.hpp>
#include <calib/driver/measure/measurement.hpp>
#include <calib/statistics.hpp>

#include <array>
#include <string>
#include <vector>

namespace calib {

using parameter_estimates = std::array<estimate, parameter_count>;

// A dial at one value. Everything is taken within a round, beside the launch with AM_DIAL=0 of that
// round; the median over the rounds.
struct dialled_point {
  double wanted = 0;
  estimate seen;                // what was added, or the whole of what is a least value
  estimate error;               // seen by wanted, less 1
  parameter_estimates changes;  // of all parameters
  double spread = 0;            // the quartiles' distance of the errors of the rounds
  bool judged = false;          // at least twice as much as the parameter has by itself
};

struct dialled_dial {
  measured_dial which;
  std::vector<dialled_point> points;
  unsigned judged = 0;  // points
  // Over these: of the errors without and with their sign, and of spread.
  double mean_error = 0;
  double bias = 0;
  double spread = 0;
};

struct dialled_transport {
  measured_layer layer;
  parameter_estimates bare;  // without a dial
  parameter_estimates zero;  // with AM_DIAL=0
  std::vector<dialled_dial> dials;
};

struct dials_result : measurement {
  dial_values values;
  std::vector<dialled_transport> transports;
  std::vector<std::string> off;  // each dial that is less exact than it should be, and why
};

inline constexpr double mean_error_within = 0.01;
inline constexpr double error_within = 0.02;
inline constexpr double change_within = 0.02;

// Sets what follows from the launches. A point is off only if its whole interval is.
void analyse(dials_result& into);

std::string table_of(const dials_result& from, bool colour);
std::string json_of(const dials_result& from);

}  // namespace calib
