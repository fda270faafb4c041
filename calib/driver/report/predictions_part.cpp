// am-suite/1 of am-suite predict: what the programs would take on other machines, and why.
#include <calib/driver/output/json_measured.hpp>
#include <calib/driver/report/parts.hpp>
#include <calib/driver/report/suite_documents.hpp>
#include <calib/format.hpp>

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace calib {
namespace {

constexpr std::array costs = {"o_s", "o_r", "L", "g", "G"};

struct added_time {
  estimate ns;
  bool measured = false;  // otherwise by the counted messages
};

struct program_elsewhere {
  suite::entry entry;
  std::string machine;
  estimate here, there;  // ns
  double slowdown = 0;
  std::array<added_time, costs.size()> parts;
  std::optional<double> predicted;  // of a check here, as the next one
  std::optional<estimate> seen;
};

program_elsewhere program_from(const json_field& from, const std::string& machine) {
  program_elsewhere out;
  out.entry = entry_of(from);
  out.machine = machine;
  out.here = {from["base_ns"].number(), std::nullopt, 0};
  out.there = read_bounded(from["there"], "ns");
  out.slowdown = from["slowdown"].number();
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const json_field part = from["parts"][costs[i]];
    out.parts[i] = {read_bounded(part, "ns"), part["measured"].boolean()};
  }
  if (const auto check = from.find("check")) {
    out.predicted = (*check)["predicted"].number();
    out.seen = read_bounded(*check, "seen");
  }
  return out;
}

std::vector<program_elsewhere> programs_from(const json_field& machines) {
  std::vector<program_elsewhere> out;
  for (const json_field& one : machines.items(most_names, "machines")) {
    const json_field there = one["there"];
    const std::string machine =
        format("{} over {}", there["cpu"].text(), there["transport"].text());
    for (const json_field& program : one["programs"].items(most_rows, "programs"))
      out.push_back(program_from(program, machine));
  }
  return out;
}

grid grid_of(const std::vector<program_elsewhere>& all) {
  time_unit unit;
  for (const program_elsewhere& one : all)
    for (const estimate& ns : {one.here, one.there}) unit.include(ns);
  grid out(false);
  std::vector<cell> titles = {title(unit.name() + " here"), title(unit.name() + " there"),
                              title("times")};
  for (const char* cost : costs) titles.push_back(title(format("{}, {}", cost, unit.name())));
  titles.insert(titles.end(), {title("by the counted messages"), title("check: predicted"),
                               title("check: seen")});
  out.add("", std::move(titles), true);
  for (const program_elsewhere& one : all) {
    std::vector<cell> cells = {
        cell_of(unit.of(one.here)), cell_of(unit.of(one.there)), {number(one.slowdown), "", ""}};
    std::string counted;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      cells.push_back(cell_of(unit.of(one.parts[i].ns)));
      if (!one.parts[i].measured) counted += (counted.empty() ? "" : ", ") + std::string(costs[i]);
    }
    cells.push_back(words(counted));
    cells.push_back({one.predicted ? number(*one.predicted) : "", "", ""});
    cells.push_back(one.seen ? cell_of(*one.seen) : cell{});
    out.add(format("{}, on {}", whole_name(one.entry), one.machine), std::move(cells));
  }
  return out;
}

}  // namespace

void add_predictions(const json_field& whole, html::page& into) {
  const auto found = whole.find("predictions");
  if (!found) return;
  const std::vector<program_elsewhere> all = programs_from(*found);
  if (!whole.good()) return;
  into.table("predictions",
             "What the programs would take on the other machine, and what each cost adds: by the "
             "dials of the study, or by the counted messages. A check is the slowdown here with "
             "the costs of that machine.",
             grid_of(all));
}

}  // namespace calib
