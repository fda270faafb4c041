// Small pictures side by side, on axes that they share: measured values against a quantity, and a
// model of them.
#pragma once

#include <calib/statistics.hpp>

#include <functional>
#include <string>
#include <vector>

namespace calib::html {

struct curves {
  struct point {
    double x;
    estimate value;
    double least, most;  // what the model says; equal where it says one value
  };
  struct panel {
    std::string name;
    std::vector<point> points;  // by x
  };
  std::vector<panel> panels;
  std::string unit;                           // of the values
  std::function<std::string(double)> x_text;  // how an x is written
};

// Both axes are logarithmic.
std::string html_of(const curves& shown);

}  // namespace calib::html
