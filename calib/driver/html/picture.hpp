// Pictures of points with their intervals, as SVG within HTML.
#pragma once

#include <calib/statistics.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace calib::html {

struct dot {
  std::size_t series = 0;
  estimate value;
};

// A line for each thing that is compared, and in it a dot with its interval for each series, on a
// logarithmic axis that all lines share. A value that is not positive and finite has no dot.
struct dots {
  struct line {
    std::string name;
    std::vector<dot> shown;
  };
  std::vector<std::string> series;  // at most 6
  std::vector<line> lines;
  std::string unit;      // of the axis
  double reference = 0;  // a mark through all lines; 0: none
};

std::string html_of(const dots& shown);

}  // namespace calib::html
