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
// have been read. SIGINT ends it after the round before, if there is one: `rounds` says how many
// there are. Throws std::runtime_error with one line if the command fails.
std::vector<dilated_run> run_dilated(const dilated_runs_of& what, unsigned& rounds);

}  // namespace am::detail::traces
