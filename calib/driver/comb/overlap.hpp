// What post-work-wait shows of a layer: whether messages move while the processor works.
#pragma once

#include <cstdint>
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

struct overlap {
  // The wait without work, and the median of it where the work is as long or longer, in ns.
  double alone = 0, behind = 0;
  // The part of the wait without work that is gone where the work is as long as that wait or
  // longer: 1 is full offload, 0 is none.
  double hidden = 0;
  // Of the wait by the work, where the work is shorter than the wait without work: -1 is full
  // offload, 0 is none.
  double slope = 0;
};

// In ascending order of work; the first is no work. At least two.
overlap overlap_of(const std::vector<pww_times>& points);

}  // namespace calib
