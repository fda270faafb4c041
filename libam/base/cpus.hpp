// The CPUs that this process may use.
#pragma once

#include <vector>

namespace am::detail::base {

// Their numbers, as the affinity mask has them; never empty.
std::vector<unsigned> allowed_cpus();

// How many there are, or fewer if the control groups allow less time than they have.
unsigned count_allowed_cpus();

}  // namespace am::detail::base
