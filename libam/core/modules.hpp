// Transports that are modules (seam/module.hpp): where they are looked for, and loading them.
#pragma once

#include <libam/seam/transport.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace am::detail::core {

// AM_MODULE_PATH's folders, then those that belong to the libam that is running, in a build tree,
// an install tree or one that was moved.
std::vector<std::string> module_folders(std::string_view module_path);

// Null and one line if there is none that can be loaded. A module once loaded stays.
seam::make_transport* load_module(std::string_view name, std::string_view module_path,
                                  std::string& why);

}  // namespace am::detail::core
