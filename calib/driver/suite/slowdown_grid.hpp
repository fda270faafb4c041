// The tables of a study of sensitivity.
#pragma once

#include <calib/driver/output/grid.hpp>
#include <calib/driver/suite/sensitivity.hpp>

#include <string>
#include <vector>

namespace calib::suite {

// Of one dial and number of ranks, in the order of the programs.
using dial_rows = std::vector<const sensitivity*>;
struct dial_table {
  std::string dial;
  unsigned ranks;
  dial_rows rows;
};
// They point into `from`.
std::vector<dial_table> dial_tables(const std::vector<sensitivity>& from);

std::string title_of(const dial_table& of);
// By how much each value slows each program down, and the slopes.
grid slowdown_grid(const dial_table& of, bool colour);
inline constexpr char slope_explanation[] =
    "slope: ns for each ns of the dial; model: by the counted messages (G: bytes); ratio: where "
    "that adds a tenth.";
// Where a program leaves its model, a line each, and behind them the usual reasons.
std::vector<std::string> departures_of(const dial_table& of);

}  // namespace calib::suite
