// The result of am-suite, before it is written as a table, as JSON or as a page.
#pragma once

#include <calib/driver/measure/measurement.hpp>
#include <calib/driver/suite/sensitivity.hpp>
#include <calib/driver/suite/traffic.hpp>
#include <calib/statistics.hpp>
#include <calib/suite/entries.hpp>
#include <calib/suite/predict/predicted.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace calib::suite {

// libam's time by a twin's, or by the serial reference's, in the same round; the median over
// rounds.
struct ratio {
  suite::entry entry;
  suite::entry against;
  estimate value;
};

struct result : measurement {
  std::vector<entry> entries;
  std::vector<row> rows;
  std::vector<traffic_row> traffic;
  std::vector<ratio> ratios;
  std::vector<sensitivity> sensitivities;  // of a study (sensitivity/study.hpp)
  std::vector<predicted_set> predictions;  // of am-suite predict (predict/predicted.hpp)
  std::string input;                       // small, quick or normal: that of the programs
};

// Sets what follows from the launches, and names in `failed` what has not run to a right end.
void analyse(result& into);

std::string table_of(const result& from, bool colour);
std::string json_of(const result& from);
// One HTML file with the tables, their pictures and the JSON.
std::string page_of(const result& from);

}  // namespace calib::suite
