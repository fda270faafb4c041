// The linear models of ISCA'97: what a program's messages cost it with a dial, by the counts of its
// busiest rank.
#pragma once

#include <string_view>

namespace calib::suite {

// What that rank sends to others, and handles of theirs; replies are messages as well.
struct load {
  double sent = 0;
  double handled = 0;
  double bytes = 0;  // that have come with messages
  double gets = 0;
  double get_bytes = 0;
  double reads = 0;
  double barriers = 0;
};

// How a program runs.
struct run_form {
  unsigned ranks = 2;
  bool has_direct_gets = true;  // which are no messages; elsewhere a get consists of messages
};

// time = base + slope * value. A gap, and the time of a byte, pass while the program computes, if
// its messages are evenly spaced: then the time is the larger of base and slope * value, and `base
// + slope * value` is that of a program that sends in bursts. Programs lie between.
struct model {
  double slope = 0;
  bool may_hide = false;

  [[nodiscard]] double most(double base, double value) const { return base + slope * value; }
  [[nodiscard]] double least(double base, double value) const {
    if (!may_hide) return most(base, value);
    return base < slope * value ? slope * value : base;
  }
};

model model_of(std::string_view dial, const load& of, const run_form& form);

}  // namespace calib::suite
