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
  bool whole = true;                   // every transport, as thoroughly as is usual
};

plan quick_calibration(std::vector<std::string> transports);
plan usual_calibration(std::vector<std::string> transports);
plan full_calibration(std::vector<std::string> transports);

exit_status calibrate(const run_request& request);

}  // namespace calib
