// Every connection takes a descriptor, and a process may have only so many.
#pragma once

#include <cstddef>

namespace am::detail::tcp {

// Before the first of so many connections: raises the soft limit to what may be needed, and warns
// if more may be needed than can be had.
void make_room_for(std::size_t connections);

}  // namespace am::detail::tcp
