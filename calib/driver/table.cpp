#include <calib/driver/table.hpp>

#include <calib/driver/bulk_table.hpp>
#include <calib/driver/catalogue.hpp>
#include <calib/driver/grid.hpp>
#include <calib/driver/medium_table.hpp>
#include <calib/format.hpp>

#include <algorithm>

namespace calib {
namespace {

struct column {
  const char* probe;
  const char* title;
  const char* means;
};
constexpr column columns[] = {
    {"rtt", "rtt", "ns a round trip"},
    {"flood", "flood", "ns a message"},
    {"rr_flood", "rr_flood", "ns a pair"},
    {"idle_poll", "idle_poll", "ns a silent peer"},
};

constexpr const char* red = "\x1b[31m";
constexpr const char* plain = "\x1b[0m";

bool any_row(const result& from, const transport& over, const std::string& probe) {
  return std::any_of(from.rows.begin(), from.rows.end(), [&](const row& r) {
    return r.who.transport == over.name && r.about.probe == probe;
  });
}

std::string values(const result& from, const transport& over, bool colour) {
  grid out(colour);
  std::vector<column> shown;
  std::copy_if(std::begin(columns), std::end(columns), std::back_inserter(shown),
               [&](const column& c) { return any_row(from, over, c.probe); });
  if (shown.empty()) return {};
  std::vector<cell> titles;
  std::vector<cell> meanings;
  for (const column& c : shown) {
    titles.push_back(title(c.title));
    meanings.push_back(title(c.means));
  }
  out.add("", titles, true);
  out.add("", meanings);
  for (const carrier& who : carriers()) {
    if (who.transport != over.name) continue;
    std::vector<cell> cells;
    bool any = false;
    for (const column& c : shown) {
      const auto found = std::find_if(from.rows.begin(), from.rows.end(), [&](const row& r) {
        return r.who == who && r.about.probe == c.probe;
      });
      any = any || found != from.rows.end();
      cells.push_back(found == from.rows.end() ? cell{} : cell_of(found->value));
    }
    if (any) out.add(who.layer, std::move(cells), is_ours(who));
  }
  return format("\nFour words between two processes, over {}\n\n{}", over.medium, out.text());
}

std::string ratios(const result& from, const carrier& who, bool colour) {
  grid out(colour);
  const std::string probes[] = {"rtt", "flood", "rr_flood"};
  std::vector<cell> titles;
  for (const std::string& probe : probes) titles.push_back(title(probe));
  out.add("", titles, true);
  bool any = false;
  for (const carrier& against : carriers()) {
    std::vector<cell> cells;
    bool here = false;
    for (const std::string& probe : probes) {
      const auto found = std::find_if(from.ratios.begin(), from.ratios.end(), [&](const ratio& r) {
        return r.who == who && r.against == against && r.about.probe == probe;
      });
      cells.emplace_back();
      if (found == from.ratios.end()) continue;
      here = true;
      cells.back() = cell_of(found->value);
      if (found->of_theirs.probe != probe)
        cells.back().interval += "  of its " + found->of_theirs.probe;
    }
    if (here) out.add("of " + against.layer, std::move(cells));
    any = any || here;
  }
  return any ? format("\n{} in times of the others, within the same round\n\n{}", who.layer,
                      out.text())
             : "";
}

std::string explanation(const result& from) {
  std::string out =
      format("\n  Medians of {} round{} in {:.0f} s{}.\n", from.rounds, from.rounds == 1 ? "" : "s",
             from.at.seconds,
             median_ranks(from.rounds) ? ", and the interval that holds each with 95 %"
                                       : ": too few to say how well they are known");
  if (!from.ratios.empty() && !from.ratios_reached)
    out += "  Not every ratio is known to within 2 %: more rounds would tell.\n";
  if (const std::size_t sizes = from.planned.bytes.size();
      sizes > 0 && sizes < std::size(bulk_sizes))
    out += format("  Bulk data of {} of the {} sizes; all of them without --quick and --bytes.\n",
                  sizes, std::size(bulk_sizes));
  if (!from.complete) out += "  Stopped before the end.\n";
  return out;
}

}  // namespace

std::string table_of(const result& from, bool colour) {
  std::string out = headline(from.machine);
  for (const transport& over : transports()) {
    out += values(from, over, colour);
    for (const carrier& who : carriers())
      if (is_ours(who) && who.transport == over.name) out += ratios(from, who, colour);
    out += medium_tables(from, over, colour);
    out += bulk_tables(from, over, colour);
  }
  out += explanation(from);
  for (const std::string& line : from.remarks) out += "  - " + line + '\n';
  for (const auto* list : {&from.unfit, &from.failed})
    for (const std::string& line : *list)
      out += format("{}  ! {}{}\n", colour ? red : "", line, colour ? plain : "");
  return out;
}

}  // namespace calib
