#include <calib/driver/table.hpp>

#include <calib/driver/catalogue.hpp>

#include <fmt/format.h>

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

constexpr const char* bold = "\x1b[1m";
constexpr const char* dim = "\x1b[2m";
constexpr const char* red = "\x1b[31m";
constexpr const char* plain = "\x1b[0m";

std::string number(double value) {
  if (value < 0.1) return fmt::format("{:.3f}", value);
  if (value < 10) return fmt::format("{:.2f}", value);
  if (value < 100) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

// A cell has the figure in front and its interval behind, which are aligned apart; or a title.
struct cell {
  std::string figure;
  std::string interval;
  std::string title;
};

cell cell_of(const estimate& e) {
  if (!e.interval) return {number(e.median), "", ""};
  return {number(e.median),
          fmt::format("{} .. {}", number(e.interval->low), number(e.interval->high)), ""};
}

class grid {
 public:
  explicit grid(bool colour) : colour_(colour) {}

  void add(const std::string& name, std::vector<cell> cells, bool strong = false) {
    rows_.push_back({name, std::move(cells), strong});
  }

  [[nodiscard]] std::string text() const {
    const widths width = measure();
    std::string out;
    for (const line& row : rows_) {
      std::string one = fmt::format("  {:<{}}", row.name, width.name);
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const cell& c = row.cells[i];
        if (!c.title.empty())
          one += fmt::format("   {:<{}}", c.title, width.figures[i] + 2 + width.intervals[i]);
        else
          one +=
              fmt::format("   {:>{}}  {}{:<{}}{}", c.figure, width.figures[i],
                          code(row.strong || c.interval.empty() ? "" : dim), c.interval,
                          width.intervals[i], code(row.strong || c.interval.empty() ? "" : plain));
      }
      one.erase(one.find_last_not_of(' ') + 1);
      out +=
          fmt::format("{}{}{}\n", code(row.strong ? bold : ""), one, code(row.strong ? plain : ""));
    }
    return out;
  }

 private:
  struct line {
    std::string name;
    std::vector<cell> cells;
    bool strong;
  };
  struct widths {
    std::size_t name = 0;
    std::vector<std::size_t> figures, intervals;
  };

  [[nodiscard]] widths measure() const {
    widths out;
    for (const line& row : rows_) {
      out.name = std::max(out.name, row.name.size());
      out.figures.resize(std::max(out.figures.size(), row.cells.size()));
      out.intervals.resize(out.figures.size());
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        out.figures[i] = std::max(out.figures[i], row.cells[i].figure.size());
        out.intervals[i] = std::max(out.intervals[i], row.cells[i].interval.size());
      }
    }
    for (const line& row : rows_)
      for (std::size_t i = 0; i < row.cells.size(); ++i)
        if (const std::size_t needed = row.cells[i].title.size();
            needed > out.figures[i] + 2 + out.intervals[i])
          out.intervals[i] = needed - out.figures[i] - 2;
    return out;
  }
  [[nodiscard]] const char* code(const char* c) const { return colour_ ? c : ""; }

  bool colour_;
  std::vector<line> rows_;
};

bool any_row(const result& from, const std::string& probe) {
  return std::any_of(from.rows.begin(), from.rows.end(),
                     [&](const row& r) { return r.probe == probe; });
}

std::string values(const result& from, bool colour) {
  grid out(colour);
  std::vector<column> shown;
  std::copy_if(std::begin(columns), std::end(columns), std::back_inserter(shown),
               [&](const column& c) { return any_row(from, c.probe); });
  std::vector<cell> titles;
  std::vector<cell> meanings;
  for (const column& c : shown) {
    titles.push_back({"", "", c.title});
    meanings.push_back({"", "", c.means});
  }
  out.add("", titles, true);
  out.add("", meanings);
  for (const std::string& layer : layers_of_shm()) {
    std::vector<cell> cells;
    bool any = false;
    for (const column& c : shown) {
      const auto found = std::find_if(from.rows.begin(), from.rows.end(), [&](const row& r) {
        return r.layer == layer && r.probe == c.probe;
      });
      any = any || found != from.rows.end();
      cells.push_back(found == from.rows.end() ? cell{} : cell_of(found->value));
    }
    if (any) out.add(layer, std::move(cells), is_ours(layer));
  }
  return out.text();
}

std::string ratios(const result& from, const std::string& layer, bool colour) {
  grid out(colour);
  const std::string probes[] = {"rtt", "flood", "rr_flood"};
  std::vector<cell> titles;
  for (const std::string& probe : probes) titles.push_back({"", "", probe});
  out.add("", titles, true);
  bool any = false;
  for (const std::string& against : layers_of_shm()) {
    std::vector<cell> cells;
    bool here = false;
    for (const std::string& probe : probes) {
      const auto found = std::find_if(from.ratios.begin(), from.ratios.end(), [&](const ratio& r) {
        return r.layer == layer && r.against == against && r.probe == probe;
      });
      cells.emplace_back();
      if (found == from.ratios.end()) continue;
      here = true;
      cells.back() = cell_of(found->value);
      if (found->their_probe != probe) cells.back().interval += "  of its " + found->their_probe;
    }
    if (here) out.add("of " + against, std::move(cells));
    any = any || here;
  }
  return any ? fmt::format("\n{} in times of the others, within the same round\n\n{}", layer,
                           out.text())
             : "";
}

std::string explanation(const result& from) {
  const conditions& c = from.conditions;
  std::string out = fmt::format(
      "\n  Medians of {} round{} in {:.0f} s{}.\n", c.rounds, c.rounds == 1 ? "" : "s", c.seconds,
      median_ranks(c.rounds) ? ", and the interval that holds each with 95 %"
                             : ": too few to say how well they are known");
  if (!from.ratios.empty() && !c.ratios_reached)
    out += "  Not every ratio is known to within 2 %: more rounds would tell.\n";
  if (!from.complete) out += "  Stopped before the end.\n";
  return out;
}

}  // namespace

std::string table_of(const result& from, bool colour) {
  const machine& m = from.machine;
  std::string out =
      fmt::format("Four words between two processes, over shared memory\n{}, {} cores{}, {}\n\n",
                  m.cpu, m.cores, m.hypervisor.empty() ? "" : " under " + m.hypervisor, m.kernel);
  out += values(from, colour);
  for (const std::string& layer : layers_of_shm())
    if (is_ours(layer)) out += ratios(from, layer, colour);
  out += explanation(from);
  for (const std::string& line : from.remarks) out += "  - " + line + '\n';
  for (const auto* list : {&from.unfit, &from.failed})
    for (const std::string& line : *list)
      out += fmt::format("{}  ! {}{}\n", colour ? red : "", line, colour ? plain : "");
  return out;
}

}  // namespace calib
