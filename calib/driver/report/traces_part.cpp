// am-states/1 and am-dilation/1: where the time of a program's ranks goes, and what a faster
// network would change.
#include <calib/driver/report/parts.hpp>
#include <calib/format.hpp>

#include <array>
#include <utility>

namespace calib {
namespace {

constexpr std::array states = {"user", "logical", "physical", "overhead"};
estimate time_of(const json_field& ns) { return {ns.number(), std::nullopt, 0}; }

struct states_of_rank {
  std::string name;
  estimate elapsed;
  std::array<estimate, states.size()> in;
  std::uint64_t messages = 0, retries = 0;
};

states_of_rank rank_of(const std::string& name, const json_field& from) {
  states_of_rank out{name, time_of(from["elapsed"]), {}, 0, 0};
  for (std::size_t i = 0; i < states.size(); ++i) out.in[i] = time_of(from[states[i]]);
  out.messages = from["messages"].count();
  out.retries = from["retries"].count();
  return out;
}

time_unit unit_of(const std::vector<states_of_rank>& all) {
  time_unit out;
  for (const states_of_rank& one : all) out.include(one.elapsed);
  return out;
}

grid grid_of(const std::vector<states_of_rank>& all) {
  const time_unit unit = unit_of(all);
  grid out(false);
  std::vector<cell> titles = {title("elapsed, " + unit.name())};
  for (const char* state : states) titles.push_back(title(format("{}, {}", state, unit.name())));
  titles.insert(titles.end(), {title("messages"), title("retries")});
  out.add("", std::move(titles), true);
  for (const states_of_rank& one : all) {
    std::vector<cell> cells = {cell_of(unit.of(one.elapsed))};
    for (const estimate& state : one.in) cells.push_back(cell_of(unit.of(state)));
    cells.push_back({format("{}", one.messages), "", ""});
    cells.push_back({format("{}", one.retries), "", ""});
    out.add(one.name, std::move(cells));
  }
  return out;
}

}  // namespace

void add_states(const json_field& whole, html::page& into) {
  std::vector<states_of_rank> all;
  for (const json_field& one : whole["ranks"].items(most_rows, "ranks"))
    all.push_back(rank_of(format("rank {}", one["rank"].count()), one));
  all.push_back(rank_of("mean", whole["mean"]));
  if (!whole.good()) return;
  const time_unit unit = unit_of(all);
  html::dots shown{{states.begin(), states.end()}, {}, unit.name(), 0, axis::scale::linear};
  for (const states_of_rank& one : all) {
    html::dots::line line{one.name, {}};
    for (std::size_t i = 0; i < states.size(); ++i) line.shown.push_back({i, unit.of(one.in[i])});
    shown.lines.push_back(std::move(line));
  }
  into.picture(
      "Where the time of each rank goes: its own computation (user), waits for messages "
      "that had not been sent yet (logical) and for messages under way (physical), and the "
      "rest (overhead).",
      shown, "states", grid_of(all));
}

void add_dilation(const json_field& whole, html::page& into) {
  const std::string command = whole["command"].text();
  const auto& factors = whole["rows"].items(most_rows, "rows");
  std::vector<states_of_rank> all;
  for (const json_field& one : factors)
    all.push_back(rank_of(format("D = {}", number(one["factor"].number())), one));
  const time_unit unit = unit_of(all);
  chart shown{"", {"factor D", axis::scale::log}, {unit.name(), axis::scale::linear}, {}};
  const auto add = [&](const char* name, chart::drawn_as drawn, const char* key) {
    chart::line line{name, drawn, {}};
    for (const json_field& one : factors)
      line.points.push_back({one["factor"].number(), unit.of(time_of(one[key]))});
    shown.lines.push_back(std::move(line));
  };
  add("elapsed", chart::drawn_as::curve, "elapsed");
  for (const char* state : states) add(state, chart::drawn_as::curve, state);
  add("estimate", chart::drawn_as::model, "estimate");
  if (!whole.good()) return;
  into.paragraph(command);
  into.picture(
      "The time of the program, and what it consists of, with a network D times as fast; the "
      "dashed line is the estimate of the whole.",
      std::vector{shown}, "dilation", grid_of(all));
}

}  // namespace calib
