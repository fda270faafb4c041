// Grids as HTML and as CSV.
#include <calib/driver/output/encoding.hpp>
#include <calib/driver/output/grid.hpp>
#include <calib/format.hpp>

#include <algorithm>

namespace calib {
namespace {

std::string html_cell(const cell& c) {
  if (!c.title.empty()) return format("<th scope='col'>{}</th>", escaped(c.title));
  if (c.has_words) return format("<td class='words'>{}</td>", escaped(c.figure));
  std::string out = "<td>" + escaped(c.figure);
  if (!c.interval.empty()) out += format(" <small>{}</small>", escaped(c.interval));
  return out + "</td>";
}

}  // namespace

bool grid::is_blank(const grid_row& row) {
  return row.name.empty() && std::ranges::all_of(row.cells, [](const cell& c) {
           return c.title.empty() && c.figure.empty();
         });
}

// Its cells are titles, and empty where a column has none.
bool grid::is_title(const grid_row& row) {
  return std::ranges::all_of(row.cells, [](const cell& c) { return c.figure.empty(); }) &&
         std::ranges::any_of(row.cells, [](const cell& c) { return !c.title.empty(); });
}

std::string grid::html() const {
  std::string out;
  for (const grid_row& row : rows_) {
    if (is_blank(row)) continue;
    if (is_title(row) && row.name.empty())
      out += "<tr><td></td>";
    else
      out += format("<tr><th scope='{}'>{}</th>", is_title(row) ? "col" : "row", escaped(row.name));
    for (const cell& c : row.cells) out += html_cell(c);
    out += "</tr>\n";
  }
  return out;
}

std::vector<grid::column> grid::columns() const {
  std::vector<column> out;
  for (const grid_row& row : rows_) {
    out.resize(std::max(out.size(), row.cells.size()));
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const cell& c = row.cells[i];
      out[i].has_interval |= !c.low.empty();
      if (is_title(row) && !c.title.empty())
        out[i].title += (out[i].title.empty() ? "" : " ") + c.title;
    }
  }
  return out;
}

std::string grid::title_of_names() const {
  std::string out;
  for (const grid_row& row : rows_)
    if (is_title(row) && !row.name.empty()) out += (out.empty() ? "" : " ") + row.name;
  return out;
}

std::string grid::csv() const {
  const std::vector<column> all = columns();
  std::string out = csv_field(title_of_names());
  for (const auto& [title, has_interval] : all) {
    out += ',' + csv_field(title);
    if (has_interval) out += ',' + csv_field(title + " low") + ',' + csv_field(title + " high");
  }
  out += '\n';
  for (const grid_row& row : rows_) {
    if (is_title(row) || is_blank(row)) continue;
    out += csv_field(row.name);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const cell c = i < row.cells.size() ? row.cells[i] : cell{};
      out += ',' + csv_field(c.figure);
      if (all[i].has_interval) out += ',' + c.low + ',' + c.high;
    }
    out += '\n';
  }
  return out;
}

}  // namespace calib
