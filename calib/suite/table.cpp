#include <calib/driver/measure/machine.hpp>
#include <calib/driver/suite/slowdown_grid.hpp>
#include <calib/format.hpp>
#include <calib/suite/grids.hpp>

namespace calib::suite {

std::string lines_below(const result& from, bool colour) {
  std::string out = from.launches.empty() ? "\n" : format("\n  {}\n", summary_of(from));
  if (was_stopped(from)) out += format("  {}\n", stopped_line);
  return out + remark_lines(from.remarks) + warning_lines(from.failed, colour);
}

std::string table_of(const result& from, bool colour) {
  std::string out = headline(from.machine);
  for (const unsigned ranks : ranks_of(from)) {
    out += format("\n{}\n\n{}", title_of(ranks),
                  traffic_grid(from.rows, from.traffic, ranks, colour).text());
    if (!opponents_of(from, ranks).empty())
      out += format("\n{}\n\n{}", ratio_title, ratio_grid(from, ranks, colour).text());
  }
  for (const dial_table& dialled : dial_tables(from.sensitivities)) {
    out += format("\n{}\n\n{}\n  {}\n", title_of(dialled), slowdown_grid(dialled, colour).text(),
                  slope_explanation);
    out += remark_lines(departures_of(dialled));
  }
  return out + lines_below(from, colour);
}

}  // namespace calib::suite
