// Modules (module.hpp): where they are looked for, and loading them.
#pragma once

#include <libam/seam/module.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace am::detail::seam {

// AM_MODULE_PATH's folders, then those that belong to the libam that is running, in a build tree,
// an install tree or one that was moved.
std::vector<std::string> module_folders(std::string_view module_path);

// The file of a module; empty and one line if there is none, or if the name leads out of the
// folders: it may come from whoever starts the program.
std::string find_module(std::string_view name, std::string_view module_path, std::string& why);

// Null and one line if there is none that can be loaded, or if it is something else. A module once
// loaded stays.
make_transport* load_transport(std::string_view name, std::string_view module_path,
                               std::string& why);
join_job* load_way_of_joining(std::string_view name, std::string_view module_path,
                              std::string& why);

}  // namespace am::detail::seam
