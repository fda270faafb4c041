#include <calib/driver/commtest/charts.hpp>

#include <calib/driver/terminal/plot.hpp>
#include <calib/format.hpp>

#include <cmath>
#include <utility>

namespace calib {
namespace {

using drawn_as = chart::drawn_as;

chart::quantity packets() {
  return {"packets", axis::scale::log, [](double count) { return format("{}", count); }};
}

template <class ValueOf>
chart::line line_of(const commtest_row& row, drawn_as drawn, ValueOf&& value_of) {
  chart::line out{row.layer.name, drawn, {}};
  for (const commtest_point& one : row.points)
    out.points.push_back({static_cast<double>(one.packets), value_of(one)});
  return out;
}

chart time_chart(const commtest_group& of, bool ordered) {
  chart out{ordered ? "ordered" : "unordered", packets(), {"us", axis::scale::log}, {}};
  for (const commtest_rows& layer : of.layers)
    if (const commtest_row* const row = most_bandwidth(layer, ordered)) {
      out.lines.push_back(line_of(*row, drawn_as::points, [](const commtest_point& one) {
        return divided(one.time.over_runs, 1000);
      }));
      out.lines.push_back(line_of(*row, drawn_as::model, [&](const commtest_point& one) {
        return estimate{model_time(*row, one.packets) / 1000, std::nullopt, 1};
      }));
    }
  return out;
}

chart bandwidth_chart(const commtest_group& of, bool ordered) {
  chart out{ordered ? "idle" : "busy", packets(), {"GB/s", axis::scale::linear}, {}};
  for (const commtest_rows& layer : of.layers)
    if (const commtest_row* const row = most_bandwidth(layer, ordered))
      out.lines.push_back(line_of(*row, drawn_as::curve, [&](const commtest_point& one) {
        return one_way_bandwidth(*row, one);
      }));
  return out;
}

std::string protocol_name(double place) {
  return swap_protocols()[static_cast<std::size_t>(std::lround(place))].name;
}

// alpha is a difference, and may be negative.
std::string with_front(double value) { return value > 0 ? compact(value) : "≤ 0"; }

}  // namespace

double model_time(const commtest_row& of, unsigned packets) {
  return of.alpha.over_runs.median * packets +
         of.beta.over_runs.median * static_cast<double>(of.slice.volume);
}

estimate one_way_bandwidth(const commtest_row& of, const commtest_point& at) {
  const double bytes = static_cast<double>(of.slice.volume) * (of.by->ordered ? 2 : 1);
  const estimate& time = at.time.over_runs;
  estimate out{bytes / time.median, std::nullopt, time.n};
  if (time.interval)
    out.interval = estimate::bounds{bytes / time.interval->high, bytes / time.interval->low};
  return out;
}

std::vector<chart> packet_charts(const commtest_group& of) {
  std::vector<chart> out;
  for (const bool ordered : {false, true}) {
    out.push_back(time_chart(of, ordered));
    out.push_back(bandwidth_chart(of, ordered));
  }
  return out;
}

// Marks of one protocol stand beside each other, so that none hides another.
chart protocol_chart(const commtest_group& of, const std::string& unit,
                     commtest_figure commtest_row::*figure) {
  constexpr double width = 0.8;  // of the distance of two protocols
  chart out{"",
            {"protocol", axis::scale::names, protocol_name},
            {unit, axis::scale::log_from_0, with_front},
            {}};
  for (const commtest_rows& layer : of.layers)
    for (const swap_set set : swap_sets) {
      chart::line line{
          format("{} {}", layer.front()->layer.name, name_of(set)), drawn_as::points, {}};
      const double count = static_cast<double>(of.layers.size() * swap_sets.size());
      const double beside = width * ((static_cast<double>(out.lines.size()) + 0.5) / count - 0.5);
      for (const commtest_row* row : layer)
        if (row->set == set)
          line.points.push_back({static_cast<double>(row->by - swap_protocols().data()) + beside,
                                 (row->*figure).over_runs});
      out.lines.push_back(std::move(line));
    }
  return out;
}

std::string drawn_curves(const commtest_result& from, const terminal::look& how) {
  if (how.with == terminal::characters::none) return "";
  std::string out, transport;
  for (const commtest_group& one : groups_of(from)) {
    if (how.brief && one.transport == transport) continue;
    transport = one.transport;
    out += format("\nThe protocols that swap most: {}; a dotted line is alpha N + beta V\n\n{}",
                  title_of(one), terminal::text_of(packet_charts(one), how));
  }
  return out;
}

}  // namespace calib
