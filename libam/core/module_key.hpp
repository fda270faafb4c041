// The place of an object in the file that it was loaded from: the same in every process that runs
// that file.
#pragma once

#include <link.h>

#include <string>

namespace am::detail::core {

// A loaded file's build-id, or a digest of its code.
std::string module_identity(const dl_phdr_info& module);

// "<build-id>+<offset>", both in hexadecimal.
std::string module_key(const void* address);

}  // namespace am::detail::core
