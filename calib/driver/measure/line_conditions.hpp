// The conditions of a measurement. The host of a virtual machine moves its CPUs, and what a message
// costs depends on where they are. The time of a bare cache line between them, beside every sample,
// tells these conditions apart; a sample belongs to the one that held before it and after it.
#pragma once

#include <calib/driver/launch/launch.hpp>

#include <span>
#include <string>
#include <vector>

namespace calib {

// Times of a cache line that lie close together.
struct line_condition {
  double line_ns = 0;  // the median
  double low = 0;      // the shortest and the longest
  double high = 0;
  double share = 0;  // the part of the samples, which are taken all the time

  [[nodiscard]] bool holds(double ns) const { return low <= ns && ns <= high; }
  // The CPUs may be in the same place: the line of one is a line of the other.
  [[nodiscard]] bool agrees_with(const line_condition& other) const {
    return holds(other.line_ns) || other.holds(line_ns);
  }
};

// Groups of these times, the shortest first. Two groups are 20 % apart or more, and there are fewer
// times between them than in each.
std::vector<line_condition> group_lines(std::vector<double> times);

// The conditions that had at least a twentieth of the samples of these launches, the most frequent
// first. None: even that one had less than a quarter, or there are no lines.
std::vector<line_condition> find_conditions(std::span<const launch> launches);

// What the launch measured in this condition: the samples of every series that has enough of them.
// A series without lines stays whole.
launch in_condition(launch whole, const line_condition& which);

// "line 93 ns 61 % of the samples (this profile), 390 ns 30 %", of the profile's condition and of
// others.
std::string text_of(const line_condition& own, std::span<const line_condition> others);

}  // namespace calib
