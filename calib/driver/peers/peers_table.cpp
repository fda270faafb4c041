#include <calib/driver/peers/peers_table.hpp>

#include <calib/driver/output/grid.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace calib {
namespace {

struct column {
  const char* probe;
  const char* title;
  const char* unit;
};
constexpr column columns[] = {
    {"rtt", "rtt", "ns a round trip"},
    {"flood", "flood", "ns a message"},
    {"rr_flood", "rr_flood", "ns a pair"},
    {"idle_poll", "idle_poll", "ns a silent peer"},
};

bool has_row(const result& from, const transport& over, const std::string& probe) {
  return std::any_of(from.rows.begin(), from.rows.end(), [&](const row& r) {
    return r.layer.transport == over.name && r.metric.probe == probe;
  });
}

// The probes of four words: layers down, probes across.
std::string word_table(const result& from, const transport& over, bool colour) {
  grid out(colour);
  std::vector<column> shown;
  std::copy_if(std::begin(columns), std::end(columns), std::back_inserter(shown),
               [&](const column& c) { return has_row(from, over, c.probe); });
  if (shown.empty()) return {};
  std::vector<cell> titles;
  std::vector<cell> units;
  for (const column& c : shown) {
    titles.push_back(title(c.title));
    units.push_back(title(c.unit));
  }
  out.add("", titles, true);
  out.add("", units);
  for (const measured_layer& layer : measured_layers()) {
    if (layer.transport != over.name) continue;
    std::vector<cell> cells;
    bool any = false;
    for (const column& c : shown) {
      const auto found = std::find_if(from.rows.begin(), from.rows.end(), [&](const row& r) {
        return r.layer == layer && r.metric.probe == c.probe;
      });
      any = any || found != from.rows.end();
      cells.push_back(found == from.rows.end() ? cell{} : cell_of(found->value));
    }
    if (any) out.add(layer.name, std::move(cells), is_ours(layer));
  }
  return format("\nFour words between two processes, over {}\n\n{}", over.description, out.text());
}

// The ratios of a layer to the others.
std::string ratio_table(const result& from, const measured_layer& layer, bool colour) {
  grid out(colour);
  const std::string probes[] = {"rtt", "flood", "rr_flood"};
  std::vector<cell> titles;
  for (const std::string& probe : probes) titles.push_back(title(probe));
  out.add("", titles, true);
  bool any = false;
  for (const measured_layer& against : measured_layers()) {
    std::vector<cell> cells;
    bool has_ratio = false;
    for (const std::string& probe : probes) {
      const auto found = std::find_if(from.ratios.begin(), from.ratios.end(), [&](const ratio& r) {
        return r.layer == layer && r.against == against && r.metric.probe == probe;
      });
      cells.emplace_back();
      if (found == from.ratios.end()) continue;
      has_ratio = true;
      cells.back() = cell_of(found->value);
      if (found->against_metric.probe != probe)
        cells.back().interval += "  of its " + found->against_metric.probe;
    }
    if (has_ratio) out.add("of " + against.name, std::move(cells));
    any = any || has_ratio;
  }
  return any ? format("\n{} in times of the others, within the same round\n\n{}", layer.name,
                      out.text())
             : "";
}

std::string explanation(const result& from) {
  std::string out =
      format("\n  Medians of {}{}.\n", rounds_text(from),
             median_ranks(from.rounds) ? ", and the interval that holds each with 95 %"
                                       : ": too few for an interval");
  if (!from.ratios.empty() && !from.ratios_reached)
    out += "  Not every ratio is known to within 2 %: use more rounds.\n";
  if (const std::size_t sizes = from.plan.bytes.size(); sizes > 0 && sizes < std::size(bulk_sizes))
    out += format("  Bulk data of {} of the {} sizes; all of them without --quick and --bytes.\n",
                  sizes, std::size(bulk_sizes));
  return out + stopped_text(from);
}

}  // namespace

std::string table_of(const result& from, bool colour) {
  std::string out = headline(from.machine);
  for (const transport& over : transports()) {
    out += word_table(from, over, colour);
    for (const measured_layer& layer : measured_layers())
      if (is_ours(layer) && layer.transport == over.name) out += ratio_table(from, layer, colour);
    out += medium_tables(from, over, colour);
    out += bulk_tables(from, over, colour);
  }
  out += explanation(from);
  return out + remark_lines(from.remarks) + warning_lines(from.unfit, colour) +
         warning_lines(from.failed, colour);
}

}  // namespace calib
