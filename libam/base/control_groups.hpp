// The control groups of this process: a container may have half a CPU, or little memory, on a large
// machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace am::detail::base {

// The folder of a group's files; it need not exist.
struct control_group {
  std::string folder;
  unsigned version;  // 1 or 2: the files have other names
};

// The groups of a controller ("cpu", "memory"), each with all groups above it, below `root`.
std::vector<control_group> control_groups(std::string_view controller, const std::string& root);

}  // namespace am::detail::base
