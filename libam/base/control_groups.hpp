// The control groups that this process is in: a container may be given half a CPU, or little
// memory, on a machine of plenty.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace am::detail::base {

// The folder in which a group's files stand; it need not be there.
struct control_group {
  std::string folder;
  unsigned version;  // 1 or 2: the files have other names
};

// Those that a controller ("cpu", "memory") looks at, each with all groups above it, below `root`.
std::vector<control_group> control_groups(std::string_view controller, const std::string& root);

}  // namespace am::detail::base
