// am-states/1 and am-dilation/1: where the time of a program's ranks goes, and what a faster
// network would change.
#include <calib/driver/output/json_values.hpp>
#include <calib/driver/report/parts.hpp>
#include <calib/format.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace calib {
namespace {

constexpr std::array states = {"user", "logical", "physical", "overhead"};
estimate time_of(const json_field& ns) { return {ns.number(), std::nullopt, 0}; }

struct states_of_rank {
  std::string name;
  estimate elapsed;
  std::array<estimate, states.size()> in;
  estimate longest;
  std::uint64_t messages = 0, retries = 0;
};

states_of_rank rank_of(const std::string& name, const json_field& from) {
  states_of_rank out{name, time_of(from["elapsed"]), {}, time_of(from["longest"]), 0, 0};
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

// What only one of the two documents says: a cell for each row.
struct more_cells {
  std::string title;
  std::vector<std::string> figures;
};

grid grid_of(const std::vector<states_of_rank>& all, const std::vector<more_cells>& more) {
  const time_unit unit = unit_of(all);
  grid out(false);
  std::vector<cell> titles = {title("elapsed, " + unit.name())};
  for (const char* state : states) titles.push_back(title(format("{}, {}", state, unit.name())));
  titles.insert(titles.end(),
                {title("longest, " + unit.name()), title("messages"), title("retries")});
  for (const more_cells& one : more) titles.push_back(title(one.title));
  out.add("", std::move(titles), true);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const states_of_rank& one = all[i];
    std::vector<cell> cells = {cell_of(unit.of(one.elapsed))};
    for (const estimate& state : one.in) cells.push_back(cell_of(unit.of(state)));
    cells.push_back(cell_of(unit.of(one.longest)));
    cells.push_back({format("{}", one.messages), "", ""});
    cells.push_back({format("{}", one.retries), "", ""});
    for (const more_cells& of : more) cells.push_back({of.figures[i], "", ""});
    out.add(one.name, std::move(cells));
  }
  return out;
}

// How far times of different hosts can be compared.
void add_clock(const json_field& bound, html::page& into) {
  std::optional<double> ns;
  read(bound, ns);
  if (!ns)
    into.warning("The clocks of the hosts contradict each other: waits may be divided wrongly.");
  else if (*ns > 0)
    into.paragraph(
        format("Times of ranks on different hosts may be wrong by {} us.", number(*ns / 1000)));
  else
    into.paragraph("All ranks have one clock.");
}

}  // namespace

void add_states(const json_field& whole, html::page& into) {
  std::vector<states_of_rank> all;
  more_cells delayed{"delayed", {}};
  const auto add = [&](const std::string& name, const json_field& one) {
    all.push_back(rank_of(name, one));
    delayed.figures.push_back(format("{}", one["delayed"].count()));
  };
  for (const json_field& one : whole["ranks"].items(most_rows, "ranks"))
    add(format("rank {}", one["rank"].count()), one);
  add("mean", whole["mean"]);
  add_clock(whole["clock_bound"], into);
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
      "rest (overhead). In the table: the longest logical delay of a message, and how many "
      "messages had one; of the mean the longest of all, and sums.",
      shown, "states", grid_of(all, {delayed}));
}

void add_dilation(const json_field& whole, html::page& into) {
  const std::string command = whole["command"].text();
  const auto& factors = whole["rows"].items(most_rows, "rows");
  std::vector<states_of_rank> all;
  for (const json_field& one : factors)
    all.push_back(rank_of(format("D = {}", number(one["factor"].number())), one));
  const time_unit unit = unit_of(all);
  more_cells delayed{"delayed %", {}}, mean_delay{"mean delay, " + unit.name(), {}},
      speedup{"speedup", {}}, estimated{"estimate, " + unit.name(), {}};
  for (const json_field& one : factors) {
    delayed.figures.push_back(number(100 * one["delayed"].number()));
    mean_delay.figures.push_back(number(unit.of(time_of(one["mean_delay"])).median));
    speedup.figures.push_back(number(one["speedup"].number()));
    estimated.figures.push_back(number(unit.of(time_of(one["estimate"])).median));
  }
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
      "dashed line is the estimate of the whole. In the table, too: the share of messages with a "
      "logical delay, its mean, and the longest one, which alone is not divided by D.",
      std::vector{shown}, "dilation", grid_of(all, {delayed, mean_delay, speedup, estimated}));
}

}  // namespace calib
