// `am-suite predict`: what the programs of a study would take on another machine.
#pragma once

#include <calib/driver/output/messages.hpp>
#include <calib/suite/effort.hpp>

#include <optional>
#include <string>
#include <vector>

namespace calib::suite {

struct predict_arguments {
  std::string study;
  std::optional<std::string> profile;  // of this machine; nothing: the kept one
  std::optional<std::string> on;       // of the other; nothing: the same
  std::string over;                    // the transport there; "": that of the study
  std::vector<std::string> programs;   // none: all of the study
  bool check = false;
  suite::effort effort;
  std::string json;
};

exit_status predict(const predict_arguments& from);

}  // namespace calib::suite
