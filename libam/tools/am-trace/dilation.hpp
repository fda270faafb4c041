// What `am-trace dilate` computes from the runs of a program under AM_DILATE, after NISTIR 4630:
// with its computation D times as long and all times divided by D, a program runs as if its network
// were D times as fast.
#pragma once

#include <libam/tools/am-trace/states.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace am::detail::traces {

// The states of a run: a mean over its ranks.
struct dilated_run {
  double factor;
  std::size_t ranks;
  rank_states mean;
};

// A row of tables A1 to A6 of the report: times in ns and divided by the factor, except `longest`.
struct dilation_row {
  double factor;
  double elapsed;
  double user;
  double logical;
  double physical;
  double overhead;
  double delayed;     // the share of messages with a logical delay
  double mean_delay;  // of these
  double longest;
  std::uint64_t messages;
  std::uint64_t retries;
  double speedup;
  double estimate;  // of `elapsed`
};

struct dilation {
  std::vector<dilation_row> rows;
  // E_D is estimated as U + P_1 / D + slope x + rest, with the mean U; the last two are for logical
  // delay and overhead. x is the number of retries, as in the report, or 1 / D: what fits better.
  bool by_retries = false;
  double slope = 0;
  double rest = 0;
};

// `runs`: by ascending factor, the first one of 1.
dilation analyse(const std::vector<dilated_run>& runs);

struct dilation_of {
  std::string command;
  std::string within;  // a span; empty: the whole run
  unsigned rounds;
};
std::string dilation_text(const dilation& all, const dilation_of& what);
std::string dilation_json(const dilation& all, const dilation_of& what);

}  // namespace am::detail::traces
