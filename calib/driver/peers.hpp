// `am-calibrate peers`: measures, and writes what was asked for.
#pragma once

#include <calib/driver/output.hpp>
#include <calib/driver/rounds.hpp>

#include <optional>
#include <string>
#include <vector>

namespace calib {

struct peers_request {
  plan planned;
  std::vector<std::string> layers;  // empty: all
  std::optional<std::string> json;  // a file, or "-"
};

exit_status peers(const peers_request& request);

}  // namespace calib
