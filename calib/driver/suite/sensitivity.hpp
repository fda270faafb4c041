// By how much a program becomes slower with a dial, beside its model.
#pragma once

#include <calib/driver/suite/entry.hpp>
#include <calib/driver/suite/model.hpp>
#include <calib/statistics.hpp>

#include <optional>
#include <string>
#include <vector>

namespace calib::suite {

struct sensitivity {
  struct point {
    double value;        // of the dial, ns
    estimate ns;         // the program's time
    estimate slowdown;   // in times of that without a dial, in the same round
    double least, most;  // the model's times; equal where it has one
  };
  suite::entry entry;  // without a dial
  std::string dial;
  double base = 0;   // its time then, ns
  double plain = 0;  // its time without AM_DIAL, without the apparatus of dials
  suite::load load;
  suite::model model;
  std::vector<point> points;  // by value
  estimate slope;             // ns for each ns of the dial, by least squares within each round

  // Whether the model has the highest value cost a tenth of the base, which noise does not hide.
  [[nodiscard]] bool is_visible() const;
  // From which value on all times are a tenth above what the model says at most, or below what it
  // says at least, and their intervals do not reach it. Nothing: the last one is not.
  struct departure {
    double from;
    double times;  // the last time in times of the model's
  };
  [[nodiscard]] std::optional<departure> departs() const;
};

}  // namespace calib::suite
