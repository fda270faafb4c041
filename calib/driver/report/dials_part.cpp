// am-dials/1: what each dial adds, against what it was set to.
#include <calib/driver/dials/sweep.hpp>
#include <calib/driver/output/json_measured.hpp>
#include <calib/driver/output/json_values.hpp>
#include <calib/driver/report/parts.hpp>
#include <calib/format.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace calib {
namespace {

// By the order of parameter_names; nothing: it was not measured.
using parameter_values = std::array<std::optional<estimate>, parameter_count>;

parameter_values parameter_values_of(const json_field& from) {
  parameter_values out;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (const auto one = from.find(parameter_names[i])) out[i] = read_measured(*one).is;
  return out;
}

struct dial_point {
  std::string setting;
  double wanted = 0;
  measured_value seen;
  estimate error;
  double spread = 0;  // as a part, as those below
  bool judged = false;
  parameter_values changes;
};
struct dial_row {
  std::string name, parameter;
  bool added = false;
  std::vector<std::string> keeps;
  std::uint64_t judged = 0;
  std::optional<double> mean_error, bias, spread;
  std::vector<dial_point> points;
};
struct dialled {
  std::string transport;
  parameter_values bare, zero;
  std::vector<dial_row> dials;
};

dial_point dial_point_of(const json_field& from) {
  return {from["setting"].text(),
          from["wanted"].number(),
          read_measured(from["seen"]),
          read_bounded(from["error"], "median"),
          from["spread"].number(),
          from["judged"].boolean(),
          parameter_values_of(from["changes"])};
}

dial_row dial_row_of(const json_field& from) {
  dial_row out;
  out.name = from["dial"].text();
  out.parameter = from["parameter"].text();
  out.added = from["added"].boolean();
  for (const json_field& one : from["keeps"].items(most_names, "parameters"))
    out.keeps.push_back(one.text());
  out.judged = from["judged"].count();
  read(from["mean_error"], out.mean_error);
  read(from["bias"], out.bias);
  read(from["spread"], out.spread);
  for (const json_field& one : from["points"].items(most_points, "points"))
    out.points.push_back(dial_point_of(one));
  return out;
}

dialled transport_of(const std::string& name, const json_field& from) {
  dialled out{name, parameter_values_of(from["bare"]), parameter_values_of(from["zero"]), {}};
  for (const json_field& dial : from["dials"].items(most_names, "dials"))
    out.dials.push_back(dial_row_of(dial));
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

void add_values(const parameter_values& from, std::vector<cell>& into) {
  for (const auto& one : from) into.push_back(one ? cell_of(*one) : cell{"?", "", ""});
}
std::vector<cell> titles_with_parameters(std::vector<cell> titles) {
  for (const char* name : parameter_names) titles.push_back(title(name));
  return titles;
}

grid grid_of(const dialled& of) {
  grid out(false);
  out.add("ns, G ns/B",
          titles_with_parameters(
              {title("set"), title("seen"), title("error %"), title("spread %"), title("judged")}),
          true);
  for (const dial_row& row : of.dials)
    for (const dial_point& one : row.points) {
      std::vector<cell> cells = {{number(one.wanted), "", ""},
                                 one.seen.is ? cell_of(*one.seen.is) : cell{"?", "", ""},
                                 cell_of(percent(one.error)),
                                 {number(100 * one.spread), "", ""},
                                 words(one.judged ? "yes" : "no")};
      add_values(one.changes, cells);
      out.add(one.setting, std::move(cells));
    }
  return out;
}

cell percent_cell(const std::optional<double>& part) {
  return {part ? number(100 * *part) : "?", "", ""};
}

grid means_of(const dialled& of) {
  grid out(false);
  out.add("",
          {title("is to change"), title("which is"), title("keeps"), title("judged"),
           title("mean error %"), title("bias %"), title("spread %")},
          true);
  for (const dial_row& one : of.dials) {
    std::string keeps;
    for (const std::string& name : one.keeps) keeps += (keeps.empty() ? "" : ", ") + name;
    out.add(one.name, {words(one.parameter),
                       words(one.added ? "added" : "the least"),
                       words(keeps),
                       {format("{}", one.judged), "", ""},
                       percent_cell(one.mean_error),
                       percent_cell(one.bias),
                       percent_cell(one.spread)});
  }
  return out;
}

grid undialled_of(const dialled& of) {
  grid out(false);
  out.add("ns, G ns/B", titles_with_parameters({}), true);
  for (const auto& [name, from] :
       {std::pair("without AM_DIAL", &of.bare), std::pair("AM_DIAL=0", &of.zero)}) {
    std::vector<cell> cells;
    add_values(*from, cells);
    out.add(name, std::move(cells));
  }
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
    const std::string name = file_name("dials-" + one.transport);
    if (!shown.empty()) {
      into.picture(
          "What was seen of each dial against what it was set to, in ns, G in ns a byte. On "
          "the dashed line a dial does exactly what it says. In the table: what else changes "
          "beside AM_DIAL=0, and whether a value counts, which it does from twice what there is "
          "without a dial.",
          shown, name, grid_of(one));
      into.table(name + "-means", "Each dial: the means of the errors of the values that count.",
                 means_of(one));
    }
    into.table(name + "-undialled",
               "The parameters without a dial, and with one that adds nothing.", undialled_of(one));
  }
  add_remarks(from, into);
}

}  // namespace calib
