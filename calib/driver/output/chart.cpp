#include <calib/driver/output/chart.hpp>

#include <calib/format.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace calib {
namespace {

void include(const estimate& value, axis& in) {
  in.include(value.median);
  if (!value.interval) return;
  in.include(value.interval->low);
  in.include(value.interval->high);
}

}  // namespace

std::string compact(double value) {
  for (const auto& [unit, name] : {std::pair(1e9, "G"), {1e6, "M"}, {1e3, "k"}})
    if (std::abs(value) >= unit) return format("{:.4g}{}", value / unit, name);
  return format("{:.4g}", value);
}

chart_axes axes_of(const chart& shown, const std::vector<chart>& beside) {
  chart_axes out{axis(shown.x.scale), axis(shown.y.scale)};
  for (const chart& one : beside)
    for (const chart::line& line : one.lines)
      for (const chart::point& p : line.points) {
        if (one.x.name == shown.x.name) out.x.include(p.x);
        if (one.y.name == shown.y.name) include(p.y, out.y);
      }
  return out;
}

bool has_place(const chart::point& one, const chart_axes& on) {
  return on.x.has_place(one.x) && on.y.has_place(one.y.median);
}

std::vector<std::string> line_names(const std::vector<chart>& shown) {
  std::vector<std::string> out;
  for (const chart& one : shown)
    for (const chart::line& line : one.lines)
      if (std::ranges::find(out, line.name) == out.end()) out.push_back(line.name);
  return out;
}

std::size_t place_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

}  // namespace calib
