// The tables of am-suite, for its text and for its page.
#pragma once

#include <calib/driver/output/grid.hpp>
#include <calib/suite/result.hpp>

#include <string>
#include <vector>

namespace calib::suite {

// The numbers of ranks of the programs, ascending.
std::vector<unsigned> ranks_of(const result& from);

// What libam's programs on so many ranks are compared with: a column of the ratios each.
struct opponent {
  std::string layer;
  std::string variant;
  auto operator<=>(const opponent&) const = default;
  // Empty: the layer has one alone.
  [[nodiscard]] std::string shown_variant() const { return variant == layer ? "" : variant; }
};
std::vector<opponent> opponents_of(const result& from, unsigned ranks);
// Null: not compared with that one.
const ratio* find_ratio(const result& from, const entry& of, const opponent& against);
grid ratio_grid(const result& from, unsigned ranks, bool colour);

std::string title_of(unsigned ranks);
inline constexpr char ratio_title[] = "Time of libam in times of the others, within the same round";
// How many rounds there were, and what the intervals are.
std::string summary_of(const result& from);
// Where nothing could be measured, `unfit` says why.
inline bool was_stopped(const result& from) { return !from.complete && from.unfit.empty(); }
inline constexpr char stopped_line[] = "Stopped before the end.";
// What stands below all tables: the rounds, if there were any, remarks, and what has failed.
std::string lines_below(const result& from, bool colour);

}  // namespace calib::suite
