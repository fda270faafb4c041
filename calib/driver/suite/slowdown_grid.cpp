#include <calib/driver/suite/slowdown_grid.hpp>

#include <calib/driver/dials/dial_values.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <set>

namespace calib::suite {
namespace {

std::set<double> values_of(const dial_rows& rows) {
  std::set<double> out;
  for (const sensitivity* row : rows)
    for (const sensitivity::point& p : row->points) out.insert(p.value);
  return out;
}

cell slowdown_at(const sensitivity& of, double value) {
  const auto found = std::ranges::find(of.points, value, &sensitivity::point::value);
  return found == of.points.end() ? cell{} : cell{number(found->slowdown.median), "", ""};
}

constexpr char reasons[] =
    "above: messages wait for each other, or ranks for a busy one; below: messages are under way "
    "together, or pass while a rank waits";

// A slope is a number of messages, or of bytes.
std::string count_text(double count) { return format("{:.0f}", count); }
cell count_cell(const estimate& of) {
  if (!of.interval) return {count_text(of.median), "", ""};
  const std::string low = count_text(of.interval->low);
  const std::string high = count_text(of.interval->high);
  return {count_text(of.median), format("{} .. {}", low, high), "", low, high};
}

}  // namespace

std::vector<dial_table> dial_tables(const std::vector<sensitivity>& from) {
  std::vector<dial_table> out;
  for (const sensitivity& one : from) {
    const auto is_its = [&](const dial_table& t) {
      return t.dial == one.dial && t.ranks == one.entry.ranks;
    };
    auto table = std::ranges::find_if(out, is_its);
    if (table == out.end()) table = out.insert(out.end(), {one.dial, one.entry.ranks, {}});
    table->rows.push_back(&one);
  }
  return out;
}

std::string title_of(const dial_table& of) {
  return format("Slowdown by {} on {} ranks, in times of AM_DIAL=0", of.dial, of.ranks);
}

grid slowdown_grid(const dial_table& of, bool colour) {
  grid out(colour);
  std::vector<cell> titles;
  const std::set<double> values = values_of(of.rows);
  for (const double value : values) titles.push_back(title(time_text(value)));
  for (const char* name : {"slope", "model", "ratio"}) titles.push_back(title(name));
  out.add("", titles, true);
  for (const sensitivity* row : of.rows) {
    std::vector<cell> cells;
    for (const double value : values) cells.push_back(slowdown_at(*row, value));
    cells.push_back(count_cell(row->slope));
    cells.push_back({count_text(row->model.slope), "", ""});
    if (row->is_visible()) cells.push_back({number(row->slope.median / row->model.slope), "", ""});
    out.add(line_name(row->entry), std::move(cells));
  }
  return out;
}

std::vector<std::string> departures_of(const dial_table& of) {
  std::vector<std::string> out;
  for (const sensitivity* row : of.rows)
    if (const auto found = row->departs())
      out.push_back(format("{}: {} its model from {} on; with {} {} times as long as it says",
                           line_name(row->entry), found->times > 1 ? "above" : "below",
                           time_text(found->from), time_text(row->points.back().value),
                           number(found->times)));
  if (!out.empty()) out.emplace_back(reasons);
  return out;
}

}  // namespace calib::suite
