#include <calib/driver/comb/charts.hpp>

#include <calib/driver/terminal/plot.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <utility>

namespace calib {
namespace {

using drawn_as = chart::drawn_as;

chart phase_chart(const comb_layer& layer, const pww_curve& of) {
  chart out{layer.layer.name,
            {iterations_name(of), axis::scale::log_from_0},
            {"us", axis::scale::log_from_0},
            {}};
  const auto add = [&](const char* name, drawn_as drawn, estimate pww_point::*phase) {
    chart::line line{name, drawn, {}};
    for (const pww_point& one : of.points)
      line.points.push_back({static_cast<double>(one.iterations), in_us(one.*phase)});
    out.lines.push_back(std::move(line));
  };
  add("post", drawn_as::curve, &pww_point::post);
  add("work", drawn_as::curve, &pww_point::worked);
  if (of.of.method == "pww-test") add("test", drawn_as::curve, &pww_point::test);
  add("wait", drawn_as::curve, &pww_point::wait);
  add("work alone", drawn_as::model, &pww_point::dry);
  return out;
}

using placed_case = std::pair<std::string, comb_case>;

// Those of the largest size and depth of each transport and method.
std::vector<placed_case> largest(const std::set<placed_case>& of) {
  std::vector<placed_case> out;
  for (const placed_case& one : of)
    if (!out.empty() && out.back().first == one.first &&
        out.back().second.method == one.second.method)
      out.back() = one;
    else
      out.push_back(one);
  return out;
}

template <class Curve>
std::vector<placed_case> drawn_cases(const comb_result& from,
                                     std::vector<Curve> comb_layer::*method, bool brief) {
  const std::set<placed_case> all = cases_of(from, method);
  return brief ? largest(all) : std::vector<placed_case>(all.begin(), all.end());
}

}  // namespace

std::vector<chart> phase_charts(const curves_of_layers<pww_curve>& all) {
  std::vector<chart> out;
  for (const auto& [layer, curve] : all) out.push_back(phase_chart(*layer, *curve));
  return out;
}

// The tables have what a terminal need not draw: post-work-wait with a test, and its bandwidth.
std::string drawn_curves(const comb_result& from, const terminal::look& how) {
  if (how.with == terminal::characters::none) return "";
  std::string out;
  for (const auto& [transport, of] : drawn_cases(from, &comb_layer::polling, how.brief))
    out += format("\nPolling over {}: {}, interval in iterations\n\n{}", transport, size_of(of),
                  terminal::text_of(
                      rate_charts(side_by_side(from, &comb_layer::polling, transport, of)), how));
  for (const auto& [transport, of] : drawn_cases(from, &comb_layer::pww, how.brief))
    if (of.method == "pww")
      out +=
          format("\nPost-work-wait over {}: {}, work in iterations\n\n{}", transport, size_of(of),
                 terminal::text_of(
                     phase_charts(side_by_side(from, &comb_layer::pww, transport, of)), how));
  return out;
}

}  // namespace calib
