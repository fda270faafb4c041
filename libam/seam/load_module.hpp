// Finds and loads modules (module.hpp).
#pragma once

#include <libam/seam/module.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace am::detail::seam {

// AM_MODULE_PATH's folders, then those of the running libam, in a build tree, an install tree, or
// one that was moved.
std::vector<std::string> module_folders(std::string_view module_path);

// The file of a module; empty and one line if there is none, or if the name leads out of the
// folders: any user who starts the program may have set it.
std::string find_module(std::string_view name, std::string_view module_path, std::string& why);

// Null and one line if there is none that can be loaded, or if it is another kind of module. A
// module once loaded stays loaded.
make_transport_fn* load_transport(std::string_view name, std::string_view module_path,
                                  std::string& why);
join_job_fn* load_boot(std::string_view name, std::string_view module_path, std::string& why);

}  // namespace am::detail::seam
