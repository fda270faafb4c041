// am-suite/1: the times of whole programs, by layer, and what they communicate.
#include <calib/driver/output/json_measured.hpp>
#include <calib/driver/output/json_values.hpp>
#include <calib/driver/report/parts.hpp>
#include <calib/driver/report/suite_documents.hpp>
#include <calib/driver/suite/traffic.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace calib {
namespace {

struct program_time {
  suite::entry of;
  std::string phase;
  measured_value value;
};

std::vector<program_time> times_of(const json_field& whole) {
  std::vector<program_time> out;
  for (const json_field& one : whole["rows"].items(most_rows, "rows"))
    out.push_back({entry_of(one), one["phase"].text(), read_measured(one["value"])});
  return out;
}

std::vector<suite::traffic_row> traffic_of(const json_field& whole) {
  std::vector<suite::traffic_row> out;
  for (const json_field& one : whole["traffic"].items(most_rows, "rows"))
    out.push_back({entry_of(one), one["messages"].number(), one["bulk_messages"].number(),
                   one["bulk_bytes"].number(), one["reads"].number(), one["barriers"].number()});
  return out;
}

// The programs on so many ranks.
std::vector<program_time> on(unsigned ranks, const std::vector<program_time>& all) {
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
    if (std::ranges::find(out.series, way_of(one.of)) == out.series.end())
      out.series.push_back(way_of(one.of));
    auto line = std::ranges::find(out.lines, program_name(one.of), &html::dots::line::name);
    if (line == out.lines.end()) line = out.lines.insert(line, {program_name(one.of), {}});
    line->shown.push_back({place_of(out.series, way_of(one.of)), unit.of(*one.value.is)});
  }
  return out;
}

grid phases_of(const std::vector<program_time>& all) {
  const time_unit unit = unit_of(all);
  grid out(false);
  out.add("", {title(unit.name())}, true);
  for (const program_time& one : all)
    out.add(format("{}, {}: {}", program_name(one.of), way_of(one.of), one.phase),
            {one.value.is ? cell_of(unit.of(*one.value.is)) : cell{"?", "", ""}});
  return out;
}

grid program_ratios(const json_field& whole) {
  grid out(false);
  out.add("", {title("times")}, true);
  for (const json_field& one : whole["ratios"].items(most_rows, "ratios")) {
    const json_field against = one["against"];
    out.add(format("{}, by {} {}", whole_name(entry_of(one)), against["layer"].text(),
                   against["variant"].text()),
            {cell_of(read_bounded(one, "ratio"))});
  }
  return out;
}

// As am-suite knows them: a row for each time that is known.
std::vector<suite::row> rows_of(const std::vector<program_time>& all) {
  std::vector<suite::row> out;
  for (const program_time& one : all)
    if (one.value.is) out.push_back({one.of, one.phase, *one.value.is});
  return out;
}

}  // namespace

suite::entry entry_of(const json_field& from) {
  suite::entry out{from["program"].text(), from["layer"].text(), from["variant"].text(),
                   from["transport"].text()};
  read(from["ranks"], out.ranks);
  return out;
}

std::string program_name(const suite::entry& of) {
  return of.variant.empty() || of.variant == of.layer ? of.program : of.program + ' ' + of.variant;
}

std::string way_of(const suite::entry& of) { return of.layer + " over " + of.transport; }

std::string whole_name(const suite::entry& of) {
  return format("{} on {} ranks, {}", program_name(of), of.ranks, way_of(of));
}

void add_suite(const json_field& whole, html::page& into) {
  measurement from;
  const std::vector<program_time> times = times_of(whole);
  const std::vector<suite::traffic_row> traffic = traffic_of(whole);
  const grid ratios = program_ratios(whole);
  if (!read_measurement(whole, from)) return;
  add_head(from, into);
  std::set<unsigned> all_ranks;
  for (const program_time& one : times) all_ranks.insert(one.of.ranks);
  for (const unsigned ranks : all_ranks) {
    const std::vector<program_time> here = on(ranks, times);
    into.heading(format("On {} ranks", ranks));
    into.picture(
        "The time of each program, by the layer that carries its messages; its phases are "
        "in the table.",
        totals_of(here), format("programs-{}", ranks), phases_of(here));
    if (std::ranges::any_of(traffic, [&](const suite::traffic_row& one) {
          return one.entry.is_libam() && one.entry.ranks == ranks;
        }))
      into.table(format("traffic-{}", ranks), "What a rank of libam's programs communicates.",
                 suite::traffic_grid(rows_of(here), traffic, ranks, false));
  }
  if (!whole["ratios"].items().empty())
    into.table("ratios", "libam's time by that of another layer, within the same round.", ratios);
  add_study(whole, into);
  add_predictions(whole, into);
  add_remarks(from, into);
}

}  // namespace calib
