// `am-calibrate run`: measures the LogP parameters of every transport, shows them, keeps them.
#pragma once

#include <calib/driver/output.hpp>
#include <calib/driver/rounds.hpp>

#include <optional>
#include <string>

namespace calib {

struct run_request {
  plan planned;
  std::optional<std::string> json;     // a file, or "-"
  std::optional<std::string> profile;  // where it is kept; "none": nowhere; not given: as usual
  bool all_transports = true;
  bool usual_effort = true;  // nobody has said how many rounds and samples
};

plan quick_calibration(std::vector<std::string> transports);
plan usual_calibration(std::vector<std::string> transports);
plan full_calibration(std::vector<std::string> transports);

// As one of several processes of a job it measures that job: a pair of each class, told by rank 0.
exit_status calibrate(const run_request& request);

}  // namespace calib
