#include <calib/driver/measure/machine.hpp>
#include <calib/driver/output/grid.hpp>
#include <calib/format.hpp>
#include <calib/suite/result.hpp>

#include <algorithm>
#include <utility>

namespace calib::suite {
namespace {

template <class Row>
const Row* find(const std::vector<Row>& rows, const entry& of) {
  const auto found = std::ranges::find(rows, of, &Row::entry);
  return found == rows.end() ? nullptr : &*found;
}

std::string line_name(const entry& of) {
  return format("{} {} {}", of.program, of.variant, of.transport);
}

estimate in_ms(estimate ns) {
  ns.median /= 1e6;
  if (ns.interval) ns.interval = {ns.interval->low / 1e6, ns.interval->high / 1e6};
  return ns;
}

cell percent(double part, double of) {
  return {of > 0 ? format("{:.1f}", 100 * part / of) : "", "", ""};
}

// The columns of ISCA'97.
std::string traffic_table(const result& from, unsigned ranks, bool colour) {
  grid out(colour);
  out.add("",
          {title("time"), title("messages"), title("messages"), title("barriers"), title("bulk"),
           title("reads")},
          true);
  out.add("", {title("ms"), title("a rank"), title("a ms"), title("ms between"), title("%"),
               title("%")});
  for (const entry& one : from.entries) {
    const row* const time = find(from.rows, one);
    const traffic_row* const sent = find(from.traffic, one);
    if (!one.is_libam() || one.ranks != ranks || time == nullptr || sent == nullptr) continue;
    const double ms = time->ns.median / 1e6;
    out.add(line_name(one), {cell_of(in_ms(time->ns)),
                             {format("{:.0f}", sent->messages), "", ""},
                             {number(sent->messages / ms), "", ""},
                             {sent->barriers > 0 ? number(ms / sent->barriers) : "", "", ""},
                             percent(sent->bulk_messages, sent->messages),
                             percent(sent->reads, sent->messages)});
  }
  return format("\nThe programs on {} rank{}\n\n{}", ranks, ranks == 1 ? "" : "s", out.text());
}

std::string ratio_table(const result& from, unsigned ranks, bool colour) {
  std::vector<std::pair<std::string, std::string>> columns;  // layer, variant
  for (const ratio& one : from.ratios) {
    const std::pair column(one.against.layer, one.against.variant);
    if (one.entry.ranks == ranks && std::ranges::find(columns, column) == columns.end())
      columns.push_back(column);
  }
  if (columns.empty()) return {};
  grid out(colour);
  std::vector<cell> titles;
  std::vector<cell> below;
  for (const auto& [layer, variant] : columns) {
    titles.push_back(title(layer));
    below.push_back(title(variant == layer ? "" : variant));
  }
  out.add("", titles, true);
  out.add("", below);
  for (const entry& one : from.entries) {
    std::vector<cell> cells;
    bool any = false;
    for (const auto& column : columns) {
      const auto found = std::ranges::find_if(from.ratios, [&](const ratio& r) {
        return r.entry == one && std::pair(r.against.layer, r.against.variant) == column;
      });
      any = any || (one.ranks == ranks && found != from.ratios.end());
      cells.push_back(found == from.ratios.end() ? cell{} : cell_of(found->value));
    }
    if (any) out.add(line_name(one), std::move(cells));
  }
  return format("\nTime of libam in times of the others, within the same round\n\n{}", out.text());
}

}  // namespace

std::string table_of(const result& from, bool colour) {
  std::vector<unsigned> ranks;
  for (const entry& one : from.entries)
    if (std::ranges::find(ranks, one.ranks) == ranks.end()) ranks.push_back(one.ranks);
  std::ranges::sort(ranks);
  std::string out = headline(from.machine);
  for (const unsigned one : ranks)
    out += traffic_table(from, one, colour) + ratio_table(from, one, colour);
  out += format("\n  Medians of {} round{} in {:.0f} s{}. Results are checked.\n", from.rounds,
                from.rounds == 1 ? "" : "s", from.environment.seconds,
                median_ranks(from.rounds) ? ", and the interval that holds each with 95 %"
                                          : ": too few for an interval");
  if (!from.complete) out += "  Stopped before the end.\n";
  for (const std::string& line : from.remarks) out += "  - " + line + '\n';
  for (const std::string& line : from.failed) out += warning_line(line, colour);
  return out;
}

}  // namespace calib::suite
