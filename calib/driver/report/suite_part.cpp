// am-suite/1: the times of whole programs, by layer, and what each dial does to them.
#include <calib/driver/output/json_measured.hpp>
#include <calib/driver/report/parts.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace calib {
namespace {

struct program_key {
  std::string program, variant, layer, transport;
  std::uint64_t ranks = 0;

  [[nodiscard]] std::string name() const {
    return variant.empty() || variant == layer ? program : program + ' ' + variant;
  }
  [[nodiscard]] std::string over() const { return layer + " over " + transport; }
};
program_key key_of(const json_field& from) {
  return {from["program"].text(), from["variant"].text(), from["layer"].text(),
          from["transport"].text(), from["ranks"].count()};
}

struct program_time {
  program_key of;
  std::string phase;
  measured_value value;
};

struct dial_effect {
  program_key of;
  std::string dial;
  struct point {
    double dial_ns;
    estimate slowdown;
  };
  std::vector<point> points;
};

std::vector<program_time> times_of(const json_field& whole) {
  std::vector<program_time> out;
  for (const json_field& one : whole["rows"].items(most_rows, "rows"))
    out.push_back({key_of(one), one["phase"].text(), read_measured(one["value"])});
  return out;
}

std::vector<dial_effect> effects_of(const json_field& whole) {
  std::vector<dial_effect> out;
  const auto found = whole.find("sensitivity");
  if (!found) return out;
  for (const json_field& one : found->items(most_rows, "programs")) {
    dial_effect effect{key_of(one), one["dial"].text(), {}};
    for (const json_field& p : one["points"].items(most_points, "points"))
      effect.points.push_back({p["dial_ns"].number(), read_bounded(p, "slowdown")});
    out.push_back(std::move(effect));
  }
  return out;
}

// The programs on so many ranks.
std::vector<program_time> on(std::uint64_t ranks, const std::vector<program_time>& all) {
  std::vector<program_time> out;
  std::ranges::copy_if(all, std::back_inserter(out),
                       [&](const program_time& one) { return one.of.ranks == ranks; });
  return out;
}

time_unit unit_of(const std::vector<program_time>& all) {
  time_unit out;
  for (const program_time& one : all)
    if (one.value.is) out.include(*one.value.is);
  return out;
}

// A line for each program, a mark for each layer.
html::dots totals_of(const std::vector<program_time>& all) {
  const time_unit unit = unit_of(all);
  html::dots out{{}, {}, unit.name()};
  for (const program_time& one : all) {
    if (one.phase != "total" || !one.value.is) continue;
    if (std::ranges::find(out.series, one.of.over()) == out.series.end())
      out.series.push_back(one.of.over());
    auto line = std::ranges::find(out.lines, one.of.name(), &html::dots::line::name);
    if (line == out.lines.end()) line = out.lines.insert(line, {one.of.name(), {}});
    line->shown.push_back({place_of(out.series, one.of.over()), unit.of(*one.value.is)});
  }
  return out;
}

grid phases_of(const std::vector<program_time>& all) {
  const time_unit unit = unit_of(all);
  grid out(false);
  out.add("", {title(unit.name())}, true);
  for (const program_time& one : all)
    out.add(format("{}, {}: {}", one.of.name(), one.of.over(), one.phase),
            {one.value.is ? cell_of(unit.of(*one.value.is)) : cell{"?", "", ""}});
  return out;
}

grid program_ratios(const json_field& whole) {
  grid out(false);
  out.add("", {title("times")}, true);
  for (const json_field& one : whole["ratios"].items(most_rows, "ratios")) {
    const program_key of = key_of(one);
    const json_field against = one["against"];
    out.add(format("{} on {} ranks, {}, by {} {}", of.name(), of.ranks, of.over(),
                   against["layer"].text(), against["variant"].text()),
            {cell_of(read_bounded(one, "ratio"))});
  }
  return out;
}

// A chart for each dial, a line for each program.
std::vector<chart> effect_charts(const std::vector<dial_effect>& all) {
  std::vector<chart> out;
  for (const dial_effect& one : all) {
    auto at = std::ranges::find(out, one.dial, &chart::title);
    if (at == out.end())
      at = out.insert(at,
                      chart{one.dial,
                            {one.dial == "G" ? "dial, ns/B" : "dial, ns", axis::scale::log_from_0},
                            {"times as long", axis::scale::log},
                            {}});
    chart::line line{format("{} {} {}", one.of.name(), one.of.ranks, one.of.transport),
                     chart::drawn_as::curve,
                     {}};
    for (const dial_effect::point& p : one.points) line.points.push_back({p.dial_ns, p.slowdown});
    at->lines.push_back(std::move(line));
  }
  return out;
}

grid effect_grid(const std::vector<dial_effect>& all) {
  grid out(false);
  out.add("", {title("dial, ns, G ns/B"), title("times as long")}, true);
  for (const dial_effect& one : all)
    for (const dial_effect::point& p : one.points)
      out.add(
          format("{} on {} ranks, {}, {}", one.of.name(), one.of.ranks, one.of.over(), one.dial),
          {{number(p.dial_ns), "", ""}, cell_of(p.slowdown)});
  return out;
}

// Of am-suite predict.
void add_predictions(const json_field& whole, html::page& into) {
  const auto found = whole.find("predictions");
  if (!found) return;
  struct prediction {
    program_key of;
    estimate here, there;  // ns
    double slowdown;
  };
  std::vector<prediction> all;
  time_unit unit;
  for (const json_field& one : found->items(most_names, "machines"))
    for (const json_field& program : one["programs"].items(most_rows, "programs")) {
      all.push_back({key_of(program),
                     {program["base_ns"].number(), std::nullopt, 0},
                     read_bounded(program["there"], "ns"),
                     program["slowdown"].number()});
      for (const estimate& ns : {all.back().here, all.back().there}) unit.include(ns);
    }
  grid out(false);
  out.add("", {title(unit.name() + " here"), title(unit.name() + " there"), title("times")}, true);
  for (const prediction& one : all)
    out.add(
        format("{} on {} ranks, {}", one.of.name(), one.of.ranks, one.of.over()),
        {cell_of(unit.of(one.here)), cell_of(unit.of(one.there)), {number(one.slowdown), "", ""}});
  into.table("predictions", "What the programs would take on the other machine.", out);
}

}  // namespace

void add_suite(const json_field& whole, html::page& into) {
  measurement from;
  const std::vector<program_time> times = times_of(whole);
  const std::vector<dial_effect> effects = effects_of(whole);
  const grid ratios = program_ratios(whole);
  if (!read_measurement(whole, from)) return;
  add_head(from, into);
  std::set<std::uint64_t> all_ranks;
  for (const program_time& one : times) all_ranks.insert(one.of.ranks);
  for (const std::uint64_t ranks : all_ranks) {
    into.heading(format("On {} ranks", ranks));
    into.picture(
        "The time of each program, by the layer that carries its messages; its phases are "
        "in the table.",
        totals_of(on(ranks, times)), format("programs-{}", ranks), phases_of(on(ranks, times)));
  }
  if (!whole["ratios"].items().empty())
    into.table("ratios", "libam's time by that of another layer, within the same round.", ratios);
  if (!effects.empty()) {
    into.heading("What each dial does");
    into.picture("How many times as long each program takes when a dial makes messages dearer.",
                 effect_charts(effects), "sensitivity", effect_grid(effects));
  }
  add_predictions(whole, into);
  add_remarks(from, into);
}

}  // namespace calib
