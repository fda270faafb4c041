// What post-work-wait shows of a layer: whether messages move while the processor works.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace calib {

// The phases of a batch in ns, at one amount of work.
struct pww_times {
  std::uint64_t work = 0;  // iterations
  double dry = 0;          // the work alone
  double post = 0, worked = 0, test = 0, wait = 0;

  [[nodiscard]] double whole() const { return post + worked + test + wait; }
  // What the library still has to do once the work has begun.
  [[nodiscard]] double waited() const { return test + wait; }
};

// Of no value nothing is known: no amount of work was of the length that it needs.
struct overlap {
  double alone = 0;  // the wait without work, in ns
  // The median of the wait where the work is 1 to 3.5 times as long as `alone`: behind longer work
  // the other process has fallen asleep (AM_WAIT=auto), and the wait includes that it wakes up.
  // Amounts of work grow by up to 10/3, so there is one of them.
  std::optional<double> behind;
  // The part of `alone` that is gone there: 1 is full offload, 0 is none.
  std::optional<double> hidden;
  // Of the wait by the work, where the work is shorter than `alone`, with at least two such amounts
  // beside none: -1 is full offload, 0 is none.
  std::optional<double> slope;
};

// In ascending order of work; the first is no work. At least two. For `behind` only the part of the
// work counts that follows the last call: with one test in its middle 0.5.
overlap overlap_of(const std::vector<pww_times>& points, double part_after_call = 1);

}  // namespace calib
