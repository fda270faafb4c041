// Every connection takes a descriptor, and the number of those in a process is limited.
#pragma once

#include <cstddef>

namespace am::detail::tcp {

// Call it before the first of that many connections: raises the soft limit to the number that may
// be needed, and warns if the hard limit is lower.
void raise_descriptor_limit(std::size_t connections);

}  // namespace am::detail::tcp
