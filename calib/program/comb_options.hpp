// The command line by which the driver starts a program of COMB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace calib {

struct comb_options {
  unsigned samples = 3;                  // --samples N: of each figure
  unsigned sample_us = 4000;             // --sample-us N: the length of a sample, about
  std::vector<std::uint64_t> bytes;      // --bytes N,N,...: of a message
  std::vector<std::uint64_t> depths;     // --depths N,N,...: messages that each process starts
  std::vector<std::uint64_t> intervals;  // --intervals N,N,...: of the polling method, iterations
  std::vector<std::uint64_t> works;      // --works N,N,...: of post-work-wait, iterations
  bool with_test = false;                // --test: also with one test inside the work
};

// Ends the process with status 2 on bad usage.
comb_options parse_comb(int argc, char** argv);

}  // namespace calib
