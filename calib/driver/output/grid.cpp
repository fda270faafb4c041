#include <calib/driver/output/grid.hpp>

#include <calib/format.hpp>

#include <algorithm>
#include <cmath>

namespace calib {
namespace {

constexpr const char* bold_on = "\x1b[1m";
constexpr const char* dim_on = "\x1b[2m";
constexpr const char* red_on = "\x1b[31m";
constexpr const char* all_off = "\x1b[0m";

}  // namespace

// Rounded first as in a file, so that a value read from a file is shown alike.
std::string number(double unrounded) {
  const double value = rounded(unrounded);
  const double size = std::abs(value);
  return format("{:.{}f}", value, size < 0.1 ? 3 : size < 10 ? 2 : size < 100 ? 1 : 0);
}

cell cell_of(const estimate& e) {
  if (!e.interval) return {number(e.median), "", ""};
  const std::string low = number(e.interval->low);
  const std::string high = number(e.interval->high);
  return {number(e.median), format("{} .. {}", low, high), "", low, high};
}

std::string value_text(const estimate& e) {
  const cell shown = cell_of(e);
  return shown.figure + (shown.interval.empty() ? "" : " (" + shown.interval + ')');
}

std::string grid::text() const {
  const widths width = measure();
  std::string out;
  for (const grid_row& row : rows_) {
    std::string one = format("  {:<{}}", row.name, width.name);
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      one += text_of(row.cells[i], width.figures[i], width.intervals[i], row.bold);
    one.erase(one.find_last_not_of(' ') + 1);
    out += format("{}{}{}\n", code(row.bold ? bold_on : ""), one, code(row.bold ? all_off : ""));
  }
  return out;
}

std::string grid::text_of(const cell& c, std::size_t figure, std::size_t interval,
                          bool bold) const {
  const std::size_t gap = interval == 0 ? 0 : 2;
  if (!c.title.empty() || c.has_words)
    return format("   {:<{}}", c.has_words ? c.figure : c.title, figure + gap + interval);
  const bool faint = !bold && !c.interval.empty();
  return format("   {:>{}}{:{}}{}{:<{}}{}", c.figure, figure, "", gap, code(faint ? dim_on : ""),
                c.interval, interval, code(faint ? all_off : ""));
}

grid::widths grid::measure() const {
  widths out;
  for (const grid_row& row : rows_) {
    out.name = std::max(out.name, row.name.size());
    out.figures.resize(std::max(out.figures.size(), row.cells.size()));
    out.intervals.resize(out.figures.size());
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      out.figures[i] = std::max(out.figures[i], row.cells[i].figure.size());
      out.intervals[i] = std::max(out.intervals[i], row.cells[i].interval.size());
    }
  }
  for (const grid_row& row : rows_)
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const std::size_t gap = out.intervals[i] == 0 ? 0 : 2;
      const std::size_t needed = row.cells[i].title.size();
      if (needed <= out.figures[i] + gap + out.intervals[i]) continue;
      if (gap == 0)
        out.figures[i] = needed;
      else
        out.intervals[i] = needed - out.figures[i] - gap;
    }
  return out;
}

std::string warning_line(const std::string& text, bool colour) {
  return format("{}  ! {}{}\n", colour ? red_on : "", text, colour ? all_off : "");
}
std::string warning_lines(const std::vector<std::string>& texts, bool colour) {
  std::string out;
  for (const std::string& one : texts) out += warning_line(one, colour);
  return out;
}
std::string remark_lines(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& one : texts) out += "  - " + one + '\n';
  return out;
}

}  // namespace calib
