// The progress bar, on standard error, if that is a terminal.
#pragma once

#include <calib/driver/measure/rounds.hpp>

namespace calib {

class progress {
 public:
  progress();
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  void show(const progress_event& now);
  void clear();

 private:
  bool on_;
  bool colour_;
};

}  // namespace calib
