// Pictures of points with their intervals, as SVG within HTML.
#pragma once

#include <calib/driver/output/axis.hpp>
#include <calib/driver/output/grid.hpp>
#include <calib/statistics.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace calib::html {

struct dot {
  std::size_t series = 0;
  estimate value;
};

// A line for each thing that is compared, and in it a dot with its interval for each series, on an
// axis that all lines share. A value that has no place on it has no dot.
struct dots {
  struct line {
    std::string name;
    std::vector<dot> shown;
  };
  std::vector<std::string> series;  // 36 have marks of their own
  std::vector<line> lines;
  std::string unit;      // of the axis
  double reference = 0;  // a mark through all lines; 0: none
  axis::scale scale = axis::scale::log;
};

std::string html_of(const dots& shown);
// The same figures as a table: a column for each series.
grid grid_of(const dots& shown);

}  // namespace calib::html
