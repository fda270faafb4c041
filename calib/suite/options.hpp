// The command line of am-suite.
#pragma once

#include <calib/suite/effort.hpp>
#include <calib/suite/entries.hpp>
#include <calib/suite/predict/predict.hpp>

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the name is CLI11's
class App;
}

namespace calib::suite {

struct arguments {
  selection selected{{}, {}, {}, "quick"};
  bool quick = false;
  std::vector<std::string> dials;  // NAME=VALUES
  suite::effort effort;
  std::string json;
  std::string html;
  suite::predict_arguments predict;
};

// The one description of the command line, from which --help, the manual page and the completion
// are made.
void describe(CLI::App& app, arguments& into);

}  // namespace calib::suite
