// The curves of COMB as charts, of one case over one transport: all layers in one chart, or a chart
// for each layer.
#pragma once

#include <calib/driver/comb/side_by_side.hpp>
#include <calib/driver/output/chart.hpp>

#include <string>
#include <vector>

namespace calib {

// The name of the axis of iterations, in tables, too.
inline const char* iterations_name(const polling_curve&) { return "interval"; }
inline const char* iterations_name(const pww_curve&) { return "work"; }

// A line for each layer; `point_of` makes a point of the chart of one of the curve.
template <class Curve, class PointOf>
chart layers_chart(const curves_of_layers<Curve>& all, chart::quantity x, chart::quantity y,
                   PointOf&& point_of) {
  chart out{"", std::move(x), std::move(y), {}};
  for (const auto& [layer, curve] : all) {
    chart::line line{layer->layer.name, chart::drawn_as::curve, {}};
    for (const auto& one : curve->points) line.points.push_back(point_of(one));
    out.lines.push_back(std::move(line));
  }
  return out;
}

// Bandwidth and availability against the iterations, and the one against the other. Not empty.
template <class Curve>
std::vector<chart> rate_charts(const curves_of_layers<Curve>& all) {
  const chart::quantity bandwidth{"GB/s", axis::scale::linear};
  const chart::quantity availability{"availability", axis::scale::linear};
  const chart::quantity iterations{iterations_name(*all.front().second), axis::scale::log_from_0};
  const auto at = [](const auto& one) { return static_cast<double>(one.iterations); };
  return {layers_chart(all, iterations, bandwidth,
                       [&](const auto& one) {
                         return chart::point{at(one), one.bandwidth};
                       }),
          layers_chart(all, iterations, availability,
                       [&](const auto& one) {
                         return chart::point{at(one), one.availability};
                       }),
          layers_chart(all, availability, bandwidth, [](const auto& one) {
            return chart::point{one.availability.median, one.bandwidth};
          })};
}

// The phases of post-work-wait against the work: a chart for each layer.
std::vector<chart> phase_charts(const curves_of_layers<pww_curve>& all);

// The charts for a terminal, of the largest size and depth of each transport or of all. Empty: the
// look is without.
std::string drawn_curves(const comb_result& from, const terminal::look& how);

}  // namespace calib
