// The progress bar, on standard error, on a terminal only.
#pragma once

#include <calib/driver/rounds.hpp>

namespace calib {

class progress {
 public:
  progress();
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  void show(const event& now);
  void clear();

 private:
  bool on_;
  bool colour_;
};

// May text for this descriptor be coloured? A terminal, and no NO_COLOR.
bool may_colour(int descriptor);

}  // namespace calib
