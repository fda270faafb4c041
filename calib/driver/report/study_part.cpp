// am-suite/1 with --dial: what each dial does to each program, as am-suite itself draws it.
#include <calib/driver/output/json_measured.hpp>
#include <calib/driver/report/parts.hpp>
#include <calib/driver/report/suite_documents.hpp>
#include <calib/driver/suite/slowdown_page.hpp>

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace calib {
namespace {

constexpr std::size_t most_dialled = 1000;  // programs, each with a chart

suite::sensitivity::point point_from(const json_field& from) {
  suite::sensitivity::point out{from["dial_ns"].number(),
                                {},
                                read_bounded(from, "slowdown"),
                                from["model"]["least"].number(),
                                from["model"]["most"].number()};
  read(from["value"], known_value{out.ns, "ns"});
  return out;
}

suite::sensitivity sensitivity_from(const json_field& from) {
  suite::sensitivity out;
  out.entry = entry_of(from);
  out.dial = from["dial"].text();
  out.base = from["base_ns"].number();
  if (out.base <= 0) from["base_ns"].expected("a time above 0");
  out.slope = read_bounded(from, "slope");
  out.model.slope = from["model_slope"].number();
  const json_field points = from["points"];
  for (const json_field& one : points.items(most_points, "points")) {
    out.points.push_back(point_from(one));
    out.model.may_hide |= out.points.back().least != out.points.back().most;
  }
  if (out.points.empty()) points.expected("at least one point");
  return out;
}

}  // namespace

void add_study(const json_field& whole, html::page& into) {
  const auto found = whole.find("sensitivity");
  if (!found) return;
  std::vector<suite::sensitivity> all;
  std::map<std::string, std::set<double>> values;  // a column each
  for (const json_field& one : found->items(most_dialled, "programs")) {
    all.push_back(sensitivity_from(one));
    std::set<double>& of_dial = values[all.back().dial];
    for (const auto& point : all.back().points) of_dial.insert(point.value);
    found->at_most(most_points, of_dial.size(), "values of a dial");
  }
  if (whole.good()) add_sensitivities(all, into);
}

}  // namespace calib
