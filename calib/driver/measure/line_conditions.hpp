// The conditions of a measurement. The host of a virtual machine moves its CPUs, and lets them
// share cores with those of others. What a message costs depends on where they are: the time of a
// bare cache line between them tells that. And it depends on the pace at which each computes: a
// core that is shared has about half. Both are known beside every sample, which belongs to the
// condition that held before it and after it.
#pragma once

#include <calib/driver/launch/launch.hpp>

#include <array>
#include <span>
#include <string>
#include <vector>

namespace calib {

// Times of a cache line that lie close together, while the same ranks are slow.
struct line_condition {
  double line_ns = 0;  // the median
  double low = 0;      // between these lie the times that belong here
  double high = 0;
  double share = 0;  // the part of the samples
  std::vector<unsigned> slow_ranks = {};
  // How long the computation takes at each rank that is not slow, in nanoseconds; none: unknown.
  std::vector<double> usual_paces = {};

  [[nodiscard]] bool holds(double ns) const { return low <= ns && ns <= high; }
  // The CPUs may be in the same place, at the same pace: the line of one is a line of the other,
  // and what is slow in the one is slow in the other.
  [[nodiscard]] bool agrees_with(const line_condition& other) const;
};

// Groups of these times, the shortest first. Two groups are 20 % apart or more, and there are fewer
// times between them than in each.
std::vector<line_condition> group_lines(std::vector<double> times);

// The conditions that had at least a twentieth of the samples of these launches. The first is the
// one that a profile stands for: of those that had 15 %, with the line that was most frequent, that
// in which no rank is slow, or else the most frequent one. The others follow by their shares. None:
// no condition had 15 %, or there are no lines.
std::vector<line_condition> find_conditions(std::span<const launch> launches);

// What the launch measured in this condition: the samples of every series that has enough of them.
// A series without lines stays whole.
launch in_condition(launch whole, const line_condition& which);

// "93 ns", "93 ns with rank 1 slow": where a condition holds.
std::string place_of(const line_condition& one);
// "line 93 ns 61 % of the samples (this profile), 390 ns 30 %, none of these 9 %", of the profile's
// condition and of others.
std::string text_of(const line_condition& own, std::span<const line_condition> others);

}  // namespace calib
