#include <calib/driver/commtest/charts.hpp>

#include <calib/driver/measure/machine.hpp>
#include <calib/driver/output/grid.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <utility>

namespace calib {
namespace {

std::vector<measured_layer> layers_of(const commtest_result& from, const commtest_slice& slice) {
  std::vector<measured_layer> out;
  for (const commtest_row& row : from.rows)
    if (row.slice == slice && std::ranges::find(out, row.layer) == out.end())
      out.push_back(row.layer);
  return out;
}

const commtest_row* find_row(const commtest_result& from, const commtest_slice& slice,
                             const measured_layer& layer, const swap_protocol& by, swap_set set) {
  const auto found = std::ranges::find_if(from.rows, [&](const commtest_row& row) {
    return row.layer == layer && row.slice == slice && row.by == &by && row.set == set;
  });
  return found == from.rows.end() ? nullptr : &*found;
}

// The median over the runs and its interval stand beside.
cell figure_cell(const commtest_figure& of, double unit) {
  cell out{number(of.of_least / unit), "", ""};
  if (of.over_runs.n > 1) out.interval = number(of.over_runs.median / unit);
  if (const auto& ends = of.over_runs.interval)
    out.interval += format(" {}..{}", number(ends->low / unit), number(ends->high / unit));
  return out;
}

// Beside an error that is not over all packet counts stand those that it is over.
cell error_cell(const commtest_row& row) {
  cell out{format("{:.0f}", 100 * row.error.greatest), "", ""};
  if (row.error.from != row.points.front().packets || row.error.to != row.points.back().packets)
    out.interval = format("{}..{}", row.error.from, row.error.to);
  return out;
}

void add_cells(const commtest_row* row, std::vector<cell>& to) {
  if (row == nullptr) {
    to.insert(to.end(), 3, {"-", "", ""});
    return;
  }
  to.push_back(figure_cell(row->latency, 1000));
  to.push_back(figure_cell(row->bandwidth, 1));
  to.push_back(error_cell(*row));
}

grid grid_of(const commtest_result& from, const commtest_slice& slice, const measured_layer& layer,
             bool colour) {
  grid out(colour);
  std::vector<cell> titles;
  for (const swap_set set : swap_sets)
    for (const char* name : {"latency", "GB/s", "err"})
      titles.push_back(title(format("{} {}", name_of(set), name)));
  out.add("", std::move(titles), true);
  for (const swap_protocol& by : swap_protocols()) {
    std::vector<cell> cells;
    for (const swap_set set : swap_sets) add_cells(find_row(from, slice, layer, by, set), cells);
    out.add(by.name, std::move(cells));
  }
  return out;
}

std::string tables_of(const commtest_result& from, const commtest_slice& slice, bool colour) {
  std::string out;
  for (const measured_layer& layer : layers_of(from, slice))
    out +=
        format("\n{}, pair {}, {}, {}\n{}", name_of(layer), slice.pairs, volume_name(slice.volume),
               name_of(slice.mode), grid_of(from, slice, layer, colour).text());
  return out;
}

std::string explanation(const commtest_result& from) {
  std::string out = format("\n  {}. Latencies in us.\n", rounds_text(from));
  out +=
      "  First the figure of the least times of three runs; beside it the median over all runs"
      " and,\n"
      "  from six on, the interval that holds it with 95 %. Set A swaps plainly, B begins the\n"
      "  next receive earlier. GB/s are of both directions together; of ordered protocols (1,x) "
      "only\n"
      "  one is in use at a time. err: by how many % latency and bandwidth as a linear model miss\n"
      "  the times, at most, over the packet counts of the dominant protocol of the library, "
      "which\n"
      "  stand beside it where they are not all.\n";
  return out + stopped_text(from);
}

}  // namespace

std::string table_of(const commtest_result& from, const terminal::look& how) {
  std::string out = headline(from.machine);
  for (const commtest_slice& slice : slices_of(from.scope))
    out += tables_of(from, slice, how.colour);
  out += explanation(from) + drawn_curves(from, how);
  if (!from.best.empty()) out += "\nWhich protocol is best\n";
  out += remark_lines(from.best);
  if (!from.remarks.empty()) out += '\n';
  return out + remark_lines(from.remarks) + warning_lines(from.unfit, how.colour) +
         warning_lines(from.failed, how.colour);
}

}  // namespace calib
