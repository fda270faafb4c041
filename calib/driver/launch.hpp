// One start of one layer program, and what it said.
#pragma once

#include <calib/driver/carrier.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace calib {

// A layer in one of the ways it can be started.
struct way {
  carrier who;
  std::string name;  // "" if there is but one
  std::vector<std::string> command;
  std::vector<std::string> environment;  // NAME=value, on top of the driver's own
  std::vector<int> cpus = {};            // its processes stay on these; none: where they are put
  unsigned part = 1;                     // it takes one of so many of the samples
  bool in_own_job = false;               // it is our part of the job that we are part of
};

// The samples of one probe in one variant, in the order taken.
struct series {
  std::string probe;
  std::string variant;
  std::vector<double> samples;
  std::size_t warm_up = 0;  // so many at the front do not count
  double median = 0;        // of the others

  // The others.
  [[nodiscard]] std::vector<double> warm() const {
    return {samples.begin() + static_cast<std::ptrdiff_t>(warm_up), samples.end()};
  }
};

// Finds out which of the samples count. Not empty.
series series_of(std::string probe, std::string variant, std::vector<double> samples);

struct launch {
  carrier who;
  unsigned round = 0;  // 0: the trial before the first round
  std::vector<series> measured;
  std::map<std::string, std::string> notes;
  std::map<int, int> cpus;  // of each rank that is pinned
  bool confined = true;     // to the CPUs of all pairs; others go where their launcher puts them
  bool placed = false;      // by the launcher of our own job, who may put ranks anywhere
  std::string fault;        // why it failed; empty: it did not
};

// Takes one line of program/report.hpp's language; a line that is none of it is ignored. `way_name`
// becomes a part of the variant. True: the program has said all.
bool take_line(launch& into, const std::string& way_name, const std::string& line);

}  // namespace calib
