#include <calib/suite/grids.hpp>

#include <calib/format.hpp>

#include <algorithm>
#include <utility>

namespace calib::suite {
namespace {

template <class Row>
const Row* find(const std::vector<Row>& rows, const entry& of) {
  const auto found = std::ranges::find(rows, of, &Row::entry);
  return found == rows.end() ? nullptr : &*found;
}

opponent opponent_of(const ratio& of) { return {of.against.layer, of.against.variant}; }

estimate in_ms(estimate ns) {
  ns.median /= 1e6;
  if (ns.interval) ns.interval = {ns.interval->low / 1e6, ns.interval->high / 1e6};
  return ns;
}

cell percent(double part, double of) {
  return {of > 0 ? format("{:.1f}", 100 * part / of) : "", "", ""};
}

}  // namespace

std::vector<unsigned> ranks_of(const result& from) {
  std::vector<unsigned> out;
  for (const entry& one : from.entries)
    if (std::ranges::find(out, one.ranks) == out.end()) out.push_back(one.ranks);
  std::ranges::sort(out);
  return out;
}

std::string line_name(const entry& of) {
  return format("{} {} {}", of.program, of.variant, of.transport);
}

grid traffic_grid(const result& from, unsigned ranks, bool colour) {
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
  return out;
}

std::vector<opponent> opponents_of(const result& from, unsigned ranks) {
  std::vector<opponent> out;
  for (const ratio& one : from.ratios)
    if (one.entry.ranks == ranks && std::ranges::find(out, opponent_of(one)) == out.end())
      out.push_back(opponent_of(one));
  return out;
}

const ratio* find_ratio(const result& from, const entry& of, const opponent& against) {
  const auto found = std::ranges::find_if(from.ratios, [&](const ratio& one) {
    return one.entry == of && opponent_of(one) == against;
  });
  return found == from.ratios.end() ? nullptr : &*found;
}

grid ratio_grid(const result& from, unsigned ranks, bool colour) {
  const std::vector<opponent> columns = opponents_of(from, ranks);
  grid out(colour);
  std::vector<cell> titles;
  std::vector<cell> below;
  for (const opponent& one : columns) {
    titles.push_back(title(one.layer));
    below.push_back(title(one.shown_variant()));
  }
  out.add("", titles, true);
  out.add("", below);
  for (const entry& one : from.entries) {
    if (one.ranks != ranks) continue;
    std::vector<cell> cells;
    bool any = false;
    for (const opponent& column : columns) {
      const ratio* const found = find_ratio(from, one, column);
      any = any || found != nullptr;
      cells.push_back(found == nullptr ? cell{} : cell_of(found->value));
    }
    if (any) out.add(line_name(one), std::move(cells));
  }
  return out;
}

std::string title_of(unsigned ranks) {
  return format("The programs on {} rank{}", ranks, ranks == 1 ? "" : "s");
}

std::string summary_of(const result& from) {
  return format("Medians of {}{}. Results are checked.", rounds_text(from),
                median_ranks(from.rounds) ? ", and the interval that holds each with 95 %"
                                          : ": too few for an interval");
}

}  // namespace calib::suite
