#include <calib/suite/predict/output.hpp>

#include <calib/driver/measure/machine.hpp>
#include <calib/driver/output/json_measured.hpp>
#include <calib/format.hpp>
#include <calib/suite/grids.hpp>
#include <calib/suite/sensitivity/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace calib::suite {
namespace {

struct cost_field {
  const char* name;
  double costs::*of;
  const char* unit;
};
constexpr cost_field cost_fields[] = {{"o_s", &costs::o_s, "ns"},
                                      {"o_r", &costs::o_r, "ns"},
                                      {"L", &costs::L, "ns"},
                                      {"g", &costs::g, "ns"},
                                      {"G", &costs::G, "ns/B"}};

cell figure(std::string text) { return {std::move(text), "", ""}; }
std::string in_ms(double ns) { return number(ns / 1e6); }

cell range_cell(const range& of) {
  const std::string low = in_ms(of.low);
  const std::string high = in_ms(of.high);
  if (of.low == of.high) return figure(in_ms(of.likely));
  return {in_ms(of.likely), low + " .. " + high, "", low, high};
}

grid cost_grid(const predicted_set& of, bool colour) {
  grid out(colour);
  std::vector<cell> titles, here, there;
  for (const cost_field& field : cost_fields) {
    titles.push_back(title(format("{}, {}", field.name, field.unit)));
    here.push_back(figure(number(of.here.*field.of)));
    there.push_back(figure(number(of.there.*field.of)));
  }
  out.add("", titles, true);
  out.add("here, " + of.transport, std::move(here));
  out.add("there, " + of.transport_there, std::move(there));
  return out;
}

// A part in times of the base: what it adds to the slowdown.
bool is_shown(const prediction& of, const prediction::part& part) {
  constexpr double least = 0.005;
  constexpr double least_end = 0.05;
  const range& added = part.added;
  return std::abs(added.likely) >= least * of.base ||
         std::max(std::abs(added.low), std::abs(added.high)) >= least_end * of.base;
}
cell part_cell(const prediction& of, const prediction::part& part) {
  if (!is_shown(of, part)) return {};
  return figure(format("{:+.2f}{}", part.added.likely / of.base, part.measured ? "" : "*"));
}

grid program_grid(const predicted_set& of, bool colour) {
  grid out(colour);
  std::vector<cell> titles = {title("here, ms"), title("there, ms"), title("slowdown")};
  for (const cost_field& field : cost_fields) titles.push_back(title(field.name));
  out.add("", titles, true);
  for (const predicted& one : of.programs) {
    std::vector<cell> cells = {figure(in_ms(one.there.base)), range_cell(one.there.there),
                               figure(number(one.there.slowdown()))};
    for (const prediction::part& part : one.there.parts)
      cells.push_back(part_cell(one.there, part));
    out.add(line_name(one.there.entry), std::move(cells));
  }
  return out;
}

bool has_check(const predicted& one) { return one.seen.has_value(); }

grid check_grid(const predicted_set& of, bool colour) {
  grid out(colour);
  out.add("", {title("predicted"), title("seen"), title("seen/predicted")}, true);
  for (const predicted& one : of.programs)
    if (has_check(one))
      out.add(line_name(one.there.entry),
              {figure(number(one.dialled.slowdown())), cell_of(*one.seen),
               figure(number(one.seen->median / one.dialled.slowdown()))});
  return out;
}

bool has_modelled_part(const predicted_set& of) {
  return std::ranges::any_of(of.programs, [](const predicted& one) {
    return std::ranges::any_of(one.there.parts, [&](const prediction::part& part) {
      return is_shown(one.there, part) && !part.measured;
    });
  });
}

json range_as_json(const range& of) {
  return {{"ns", written(of.likely)}, {"low", written(of.low)}, {"high", written(of.high)}};
}

json costs_as_json(const costs& of) {
  json out = json::object();
  for (const cost_field& field : cost_fields) out[field.name] = written(of.*field.of);
  return out;
}

json program_as_json(const predicted& of) {
  json out = identified(of.there.entry);
  out["base_ns"] = written(of.there.base);
  out["there"] = range_as_json(of.there.there);
  out["slowdown"] = written(of.there.slowdown());
  json parts = json::object();
  for (const prediction::part& part : of.there.parts) {
    json one = range_as_json(part.added);
    one["measured"] = part.measured;
    parts[part.cost] = std::move(one);
  }
  out["parts"] = std::move(parts);
  if (of.seen) {
    json check = {{"predicted", written(of.dialled.slowdown())}};
    check.update(bounded("seen", *of.seen));
    out["check"] = std::move(check);
  }
  return out;
}

}  // namespace

std::string prediction_table(const result& from, bool colour) {
  std::string out = headline(from.machine);
  for (const predicted_set& set : from.predictions) {
    out += format("\nPredicted for {}, {}, on {} ranks\n\n{}\n{}", set.machine_there,
                  set.transport_there, set.ranks, cost_grid(set, colour).text(),
                  program_grid(set, colour).text());
    out += "  The costs' columns: what each adds to the slowdown.\n";
    if (has_modelled_part(set))
      out += "  *: by the counted messages: the study has no dial that says it.\n";
    if (std::ranges::any_of(set.programs, has_check))
      out += format("\nSlowdown here with AM_DIAL={}\n\n{}", set.dials,
                    check_grid(set, colour).text());
  }
  return out + lines_below(from, colour);
}

json predictions_of(const result& from) {
  json out = json::array();
  for (const predicted_set& set : from.predictions) {
    json programs = json::array();
    for (const predicted& one : set.programs) programs.push_back(program_as_json(one));
    json here = costs_as_json(set.here);
    here["transport"] = set.transport;
    json there = costs_as_json(set.there);
    there["transport"] = set.transport_there;
    there["cpu"] = set.machine_there;
    out.push_back({{"here", std::move(here)},
                   {"there", std::move(there)},
                   {"dials", set.dials},
                   {"programs", std::move(programs)}});
  }
  return out;
}

}  // namespace calib::suite
