// A chart: quantities against another one, as curves with their intervals, before it is drawn for a
// browser (html/charts.hpp) or for a terminal (terminal/plot.hpp).
#pragma once

#include <calib/driver/output/axis.hpp>
#include <calib/statistics.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace calib {

// Up to four digits, and k, M or G behind them: "0.5", "100k".
std::string compact(double value);

struct chart {
  struct point {
    double x;
    estimate y;
  };
  // A curve is points that are joined; of a model there are lines alone.
  enum class drawn_as { curve, points, model };
  struct line {
    std::string name;
    drawn_as drawn;
    std::vector<point> points;  // in the order in which they are joined
  };
  struct quantity {
    std::string name;
    axis::scale scale;
    std::function<std::string(double)> text = compact;  // how a value is written at the axis
  };
  std::string title;  // may be empty
  quantity x, y;
  std::vector<line> lines;
};

struct chart_axes {
  axis x, y;
};
// Charts side by side share each axis that has the same name.
chart_axes axes_of(const chart& shown, const std::vector<chart>& beside);

// Whether a point stands in the chart.
bool has_place(const chart::point& one, const chart_axes& on);

// Lines of one name have one colour and one mark in all charts side by side: by its place here.
std::vector<std::string> line_names(const std::vector<chart>& shown);
std::size_t place_of(const std::vector<std::string>& names, const std::string& name);

}  // namespace calib
