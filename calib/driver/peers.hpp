// `am-calibrate peers`: measures, and writes what was asked for.
#pragma once

#include <calib/driver/rounds.hpp>

#include <optional>
#include <string>
#include <vector>

namespace calib {

// What a command ends with.
enum exit_status { good = 0, failed = 1, bad_usage = 2, unfit = 3, stopped = 130 };

struct peers_request {
  plan planned;
  std::vector<std::string> layers;  // empty: all
  std::optional<std::string> json;  // a file, or "-"
};

exit_status peers(const peers_request& request);

}  // namespace calib
