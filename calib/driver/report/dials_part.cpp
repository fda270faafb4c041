// am-dials/1: what each dial adds, against what it was set to.
#include <calib/driver/output/json_measured.hpp>
#include <calib/driver/report/parts.hpp>
#include <calib/format.hpp>

#include <utility>

namespace calib {
namespace {

struct dial_point {
  std::string setting;
  double wanted = 0;
  measured_value seen;
  estimate error;
};
struct dial_row {
  std::string name;
  std::vector<dial_point> points;
};
struct dialled {
  std::string transport;
  std::vector<dial_row> dials;
};

dialled transport_of(const std::string& name, const json_field& from) {
  dialled out{name, {}};
  for (const json_field& dial : from["dials"].items(most_names, "dials")) {
    dial_row row{dial["dial"].text(), {}};
    for (const json_field& one : dial["points"].items(most_points, "points"))
      row.points.push_back({one["setting"].text(), one["wanted"].number(),
                            read_measured(one["seen"]), read_bounded(one["error"], "median")});
    out.dials.push_back(std::move(row));
  }
  return out;
}

chart chart_of(const dial_row& of) {
  const std::string unit = of.points.empty() ? "ns" : of.points.front().seen.unit;
  chart out{of.name, {"set, " + unit, axis::scale::log}, {"seen, " + unit, axis::scale::log}, {}};
  chart::line seen{"seen", chart::drawn_as::curve, {}};
  chart::line wanted{"as set", chart::drawn_as::model, {}};
  for (const dial_point& one : of.points) {
    if (one.seen.is) seen.points.push_back({one.wanted, *one.seen.is});
    wanted.points.push_back({one.wanted, {one.wanted, std::nullopt, 0}});
  }
  out.lines = {std::move(seen), std::move(wanted)};
  return out;
}

grid grid_of(const dialled& of) {
  grid out(false);
  out.add("ns, G ns/B", {title("set"), title("seen"), title("error %")}, true);
  for (const dial_row& row : of.dials)
    for (const dial_point& one : row.points)
      out.add(one.setting, {{number(one.wanted), "", ""},
                            one.seen.is ? cell_of(*one.seen.is) : cell{"?", "", ""},
                            cell_of(percent(one.error))});
  return out;
}

}  // namespace

void add_dials(const json_field& whole, html::page& into) {
  measurement from;
  std::vector<dialled> all;
  for (const auto& [name, one] : whole["transports"].members())
    all.push_back(transport_of(name, one));
  std::vector<std::string> off;
  read(whole["off"], off);
  if (!read_measurement(whole, from)) return;
  add_head(from, into);
  for (const std::string& line : off) into.first_warning(line);
  for (const dialled& one : all) {
    std::vector<chart> shown;
    for (const dial_row& row : one.dials) shown.push_back(chart_of(row));
    into.heading("Over " + one.transport);
    if (!shown.empty())
      into.picture(
          "What was seen of each dial against what it was set to, in ns, G in ns a byte. On "
          "the dashed line a dial does exactly what it says.",
          shown, file_name("dials-" + one.transport), grid_of(one));
  }
  add_remarks(from, into);
}

}  // namespace calib
