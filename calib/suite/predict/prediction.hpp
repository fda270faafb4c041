// What a program would take where messages cost something else: its time here, and what each cost
// adds to it. What it computes is taken to take as long there as here.
#pragma once

#include <calib/suite/predict/costs.hpp>
#include <calib/suite/predict/range.hpp>
#include <calib/suite/predict/study_file.hpp>

#include <string>
#include <vector>

namespace calib::suite {

struct prediction {
  struct part {
    const char* cost;  // "o_s", ...
    range added;       // ns; below 0 where it is cheaper there
    bool measured;     // by a dial of the study; otherwise it is the model's, by the counts
  };
  suite::entry entry;
  double base = 0;  // ns, here
  std::vector<part> parts;
  range there;  // ns

  [[nodiscard]] double slowdown() const { return there.likely / base; }
};

// From a time of `base` here. An overhead and a latency change it by their slope. A gap counts as
// far as it is longer than what a processor spends on a message there: a burst passes at the pace
// of the slower one. What a shorter gap saves is not known: at most as much as the model says.
prediction predict(const studied_program& of, double base, const costs& here, const costs& there);

// What AM_DIAL can make of the costs here: as high as there, and where they are lower there, or a
// gap is too short to be seen, as they are.
costs dialled_costs(const costs& here, const costs& there);
// The value of AM_DIAL that does it; "": nothing costs more there.
std::string dials_for(const costs& here, const costs& there);

}  // namespace calib::suite
