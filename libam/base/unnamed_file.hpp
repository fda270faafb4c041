// An empty file that nobody can open by name: what memory is made of where the kernel gives none
// without a file system.
#pragma once

#include <libam/base/fd.hpp>

#include <cstddef>
#include <string>

namespace am::detail::base {

// In `folder`, close-on-exec. Invalid with errno if the folder takes no file, or none of which room
// can be asked for.
fd make_unnamed_file(const std::string& folder);

// So many bytes may still be asked for in the file system of this file; all that can be counted if
// it has no limit of its own.
std::size_t room_around(int file) noexcept;

}  // namespace am::detail::base
