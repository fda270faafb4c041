// COMB's figure of merit, and the knee: what one learns from bandwidth against availability.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace calib {

// At one interval, or one amount of work.
struct traded_point {
  std::uint64_t iterations = 0;
  double availability = 0;  // T(work alone) / T(the same work with messages)
  double share = 0;         // of the bandwidth without work, at most 1
};

// The area under share over availability, 0 to 1, each limited to 0 .. 1. The curve leads from
// (0, 1), which is no work, over the points of which none is better in both, to (1, 0), which is no
// messages. A layer whose messages cost the processor nothing has 1; one whose processor either
// works or moves messages has 0.5.
double figure_of_merit(const std::vector<traded_point>& curve);

// Up to this far from the line from (0, 1) to (1, 0), in availability plus share, a curve is on it.
inline constexpr double near_line = 0.1;

// How far the same curve is below the line; 0: nowhere.
double farthest_below(const std::vector<traded_point>& curve);

// The point farthest above the line from (0, 1) to (1, 0): of those that are farthest to within
// 0.02 the one with most iterations. Nothing: none is farther than near_line, so there is no knee.
std::optional<traded_point> find_knee(const std::vector<traded_point>& curve);

}  // namespace calib
