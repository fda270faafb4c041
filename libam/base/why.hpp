// Why the system has refused something, and what to do about it.
#pragma once

#include <string>

namespace am::detail::base {

// The words for errno; where descriptors have run out, also how many may be open, and what raises
// it.
std::string why(int error);

}  // namespace am::detail::base
