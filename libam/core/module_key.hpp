// Where an object stands in the file that it was loaded from: the same in every process that runs
// that file.
#pragma once

#include <string>

namespace am::detail::core {

// "<build-id>+<offset>", both in hexadecimal.
std::string module_key(const void* address);

}  // namespace am::detail::core
