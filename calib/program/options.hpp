// What the driver tells a layer program on its command line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace calib {

struct options {
  unsigned samples = 40;           // --samples N: of each probe and variant
  bool idle = false;               // --idle: measure polls that find nothing
  bool signature = false;          // --signature: measure what LogP is read from, nothing else
  bool pairs = false;              // --pairs: the same of a pair of each class that a job has
  bool validate = false;           // --validate: of several processes what validates it
  unsigned sample_us = 2000;       // --sample-us N: of these, about so long may a sample last
  unsigned windows = 50;           // --windows N: of messages in a flood, where it has windows
  std::vector<std::size_t> bytes;  // --bytes N,N,...: sizes of bulk data; none: without it
  std::vector<std::string> skip;   // --skip PROBE:VARIANT, any number of times

  [[nodiscard]] bool skips(std::string_view probe, std::string_view variant) const;
};

// Ends the process with status 2 if it does not understand.
options parse(int argc, char** argv);

}  // namespace calib
