// Runs a command under AM_DILATE and AM_TRACE, once for each factor in each round.
#pragma once

#include <libam/tools/am-trace/dilation.hpp>

#include <string>
#include <vector>

namespace am::detail::traces {

struct dilated_runs_of {
  std::vector<std::string> command;
  std::vector<double> factors;  // ascending, the first one is 1
  std::string within;
  unsigned rounds;
};

// Of each factor the run whose elapsed time is the median of its runs. Traces are removed when they
// have been read. A signal that ends programs stops it, with the rounds that have ended: `rounds`
// says how many these are, and `stopped` is the signal, or 0. Throws std::runtime_error with one
// line if the command fails.
std::vector<dilated_run> run_dilated(const dilated_runs_of& what, unsigned& rounds, int& stopped);

}  // namespace am::detail::traces
