// A launch: one start of one layer program, and what the program reported.
#pragma once

#include <calib/driver/launch/measured_layer.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace calib {

// How a layer is started, by one of its methods.
struct launch_spec {
  measured_layer layer;
  std::string name;  // of the method; "" if there is only one
  std::vector<std::string> command;
  std::vector<std::string> variables;  // NAME=value, added to our environment
  std::vector<int> cpus = {};          // that its processes are confined to; none: not confined
  unsigned sample_divisor = 1;         // of the number of samples, for a layer that takes longer
  bool in_own_job = false;             // the program joins the job that this process is part of
  bool line = false;                   // the time of a cache line is taken between its processes
  unsigned turns = 1;                  // launches in a round
  double expected_seconds = 0;         // roughly, beside other launches; 0: nothing is expected
};

// The samples of one probe in one variant, in the order of time.
struct series {
  std::string probe;
  std::string variant;
  std::vector<double> samples;
  std::size_t warm_up = 0;  // the number of samples at the front that do not count
  double median = 0;        // of the other samples
  // The time of a cache line between the two CPUs, before each sample and after the last; 0: it is
  // not known. Or none: the processes are not pinned to two CPUs of one host.
  std::vector<double> lines = {};
  // At the same times: that of a fixed computation, at rank 0 and at rank 1. Or none.
  std::vector<std::array<double, 2>> paces = {};

  // The other samples.
  [[nodiscard]] std::vector<double> warm() const {
    return {samples.begin() + static_cast<std::ptrdiff_t>(warm_up), samples.end()};
  }
};

// Determines warm_up and median. There is at least one sample.
series series_of(std::string probe, std::string variant, std::vector<double> samples);

struct launch {
  measured_layer layer;
  std::string method;  // as of its spec
  unsigned round = 0;  // 0: the trial before the first round
  std::vector<series> measured;
  std::map<std::string, std::string> notes;
  std::map<int, int> cpus;  // of each rank that is pinned
  bool confined = true;     // to the CPUs of all pairs; otherwise its launcher places it
  bool placed = false;      // by the launcher of our own job, on any CPU
  std::string fault;        // why it failed; empty: it did not

  // Whether the time of a line is known beside any sample.
  [[nodiscard]] bool has_lines() const;
};

// The note that says why a launch knows no time of a line although it was to be taken.
inline constexpr char no_line[] = "no_line";

// Parses one line of the format of program/report.hpp; other lines are ignored. `method_name`
// becomes part of the variant. True: the report is complete.
bool parse_line(launch& into, const std::string& method_name, const std::string& line);

}  // namespace calib
