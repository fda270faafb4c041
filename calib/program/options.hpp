// The command line by which the driver starts a layer program.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace calib {

struct options {
  unsigned samples = 40;           // --samples N: per probe and variant
  bool idle = false;               // --idle: measure polls that find nothing
  bool signature = false;          // --signature: take only the LogP signature
  bool pairs = false;              // --pairs: the same for one pair of each class in the job
  bool in_job = false;             // --in-job: the other process is a rank on another host
  bool validate = false;           // --validate: validate LogP with several processes
  bool dialled = false;            // --dialled: measure the parameters that dials change
  unsigned spacing_us = 100;       // --spacing-us N: between the lone messages of that
  unsigned sample_us = 2000;       // --sample-us N: the length of a sample of these three, about
  unsigned windows = 50;           // --windows N: of messages in a flood, if the layer has windows
  unsigned burst = 2048;           // --burst N: the messages in a stream whose sends are timed
  std::vector<std::size_t> bytes;  // --bytes N,N,...: sizes of bulk data; empty: no bulk data
  std::vector<std::string> skip;   // --skip PROBE:VARIANT, repeatable

  [[nodiscard]] bool skips(std::string_view probe, std::string_view variant) const;
};

// Ends the process with status 2 on bad usage.
options parse(int argc, char** argv);

}  // namespace calib
