// A study of sensitivity as am-suite --dial --json has written it.
#pragma once

#include <calib/driver/suite/model.hpp>
#include <calib/suite/entries.hpp>
#include <calib/suite/predict/range.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace calib::suite {

// By what a dial makes a program slower.
struct dial_response {
  range slope;  // ns for each ns
  struct point {
    double value;  // of the dial, ns
    range added;   // ns
  };
  std::vector<point> points;  // by value
};

struct studied_program {
  suite::entry entry;
  double base = 0;   // its time with AM_DIAL=0, ns
  double plain = 0;  // and without AM_DIAL
  suite::load load;
  std::map<std::string, dial_response> dials;
};

struct study {
  std::string cpu;
  std::string input;      // which inputs the programs had; "": it does not say
  bool is_fit = true;     // complete, without a failure, and fit for use
  bool has_plain = true;  // otherwise `plain` is `base`
  std::vector<studied_program> programs;
};

// Nothing: `problem` says why.
std::optional<study> parse_study(const std::string& text, std::string& problem);

}  // namespace calib::suite
