// Which CPU each rank is bound to.
#pragma once

#include <am/types.h>

#include <vector>

namespace am::detail::run {

// The CPUs that am-run may use, in hwloc's order: one of each core first, then the cores' second
// threads, so that ranks share a core only when there are more of them than cores.
std::vector<unsigned> cpus_by_core();

struct binding {
  unsigned cpus = 0;               // how many there are for all ranks
  std::vector<unsigned> bound_to;  // one for each rank, or empty: nobody is bound
};

}  // namespace am::detail::run
