// What `am-trace states` tells: the elapsed time of each rank as four states, after NISTIR 4630.
//
// - logical delay: the rank waits for a message that has not been sent yet
// - physical delay: it waits for one that is under way
// - user computation: the program's own, its handlers' too; measured with AM_DILATE, otherwise what
//   is neither of a wait nor known to be the library's
// - overhead: the rest: sending, libam's handlers, the trace, and what is left of waits
//
// The message that a wait was for is the last one that came in it.
#pragma once

#include <libam/tools/am-trace/job_trace.hpp>
#include <libam/tools/am-trace/pairing.hpp>

#include <string>
#include <vector>

namespace am::detail::traces {

struct rank_states {
  double elapsed = 0;  // ns, as all times
  double user = 0;
  double logical = 0;
  double physical = 0;
  double overhead = 0;
  double longest = 0;          // logical delay of one message
  std::uint64_t messages = 0;  // that came from other ranks
  std::uint64_t delayed = 0;   // of them, those with a logical delay
  std::uint64_t retries = 0;   // requests that waited for a credit or for room, or said again
};

// By rank; all zeros without a trace. `within`: each rank's time counts from the begin of its first
// span of that name to the end of its last one; empty: all of it. Throws std::runtime_error with
// one line if no rank has such a span.
std::vector<rank_states> states_of(job_trace& from, const std::string& within = {});

// Per rank, as the paper has it, over those that have a time.
rank_states mean_of(const std::vector<rank_states>& all);
std::size_t ranks_with_time(const std::vector<rank_states>& all);

std::string states_text(const std::vector<rank_states>& all);
// `bound`: by how much times of different hosts may be wrong; null where that is not known.
std::string states_json(const std::vector<rank_states>& all, double bound);

}  // namespace am::detail::traces
