// The CPU to which each rank is bound.
#pragma once

#include <am/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace am::detail::run {

// The CPUs that am-run may use, in hwloc's order: one of each core first, then the cores' second
// threads, so that ranks share a core only when there are more of them than cores.
std::vector<unsigned> cpus_by_core();

struct binding {
  unsigned cpus = 0;               // the number for all ranks together
  std::vector<unsigned> bound_to;  // one for each rank, or empty: no rank is bound
};

// For `ranks` ranks of this host. `mode`: core, none, or empty: core if every rank can have one.
// `message`: a line to print, if core was wanted in vain.
binding bind_ranks(am_rank ranks, std::string_view mode, std::string& message);

}  // namespace am::detail::run
