// Grids as HTML and as CSV.
#include <calib/driver/output/escape.hpp>
#include <calib/driver/output/grid.hpp>
#include <calib/format.hpp>

#include <algorithm>

namespace calib {
namespace {

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"") == std::string::npos) return field;
  std::string out = "\"";
  for (const char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string html_cell(const cell& c) {
  if (!c.title.empty()) return format("<th>{}</th>", escaped(c.title));
  std::string out = "<td>" + escaped(c.figure);
  if (!c.interval.empty()) out += format(" <small>{}</small>", escaped(c.interval));
  return out + "</td>";
}

// The interval of a cell as two fields.
std::string csv_interval(const std::string& interval) {
  constexpr std::string_view between = " .. ";
  const std::size_t at = interval.find(between);
  if (at == std::string::npos) return ",,";
  return ',' + interval.substr(0, at) + ',' + interval.substr(at + between.size());
}

}  // namespace

bool grid::is_blank(const grid_row& row) {
  return row.name.empty() && std::ranges::all_of(row.cells, [](const cell& c) {
           return c.title.empty() && c.figure.empty();
         });
}

bool grid::is_title(const grid_row& row) {
  return std::ranges::any_of(row.cells, [](const cell& c) { return !c.title.empty(); });
}

std::string grid::html() const {
  std::string out;
  for (const grid_row& row : rows_) {
    if (is_blank(row)) continue;
    out += format("<tr><th scope='row'>{}</th>", escaped(row.name));
    for (const cell& c : row.cells) out += html_cell(c);
    out += "</tr>\n";
  }
  return out;
}

std::string grid::csv() const {
  std::vector<bool> ranges;
  std::vector<std::string> titles;
  std::string body;
  for (const grid_row& row : rows_) {
    ranges.resize(std::max(ranges.size(), row.cells.size()));
    titles.resize(ranges.size());
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const cell& c = row.cells[i];
      ranges[i] = ranges[i] || !c.interval.empty();
      if (!c.title.empty()) titles[i] += (titles[i].empty() ? "" : " ") + c.title;
    }
  }
  for (const grid_row& row : rows_) {
    if (is_title(row) || is_blank(row)) continue;
    body += quoted(row.name);
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      body += ',' + quoted(row.cells[i].figure);
      if (ranges[i]) body += csv_interval(row.cells[i].interval);
    }
    body += '\n';
  }
  std::string head;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    head += ',' + quoted(titles[i]);
    if (ranges[i]) head += ',' + quoted(titles[i] + " low") + ',' + quoted(titles[i] + " high");
  }
  return head + '\n' + body;
}

}  // namespace calib
