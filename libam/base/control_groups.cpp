#include <libam/base/control_groups.hpp>

#include <algorithm>
#include <fstream>

namespace am::detail::base {
namespace {

// In a container the path may be the host's, of which only the upper end of the chain of parents
// can be seen: a folder that is not there limits nothing.
void add_with_ancestors(const std::string& mount, std::string path, unsigned version,
                        std::vector<control_group>& out) {
  for (;;) {
    while (path.ends_with('/')) path.pop_back();
    out.push_back({mount + path, version});
    if (path.empty()) return;
    path.resize(path.find_last_of('/') + 1);
  }
}

bool has_item(std::string_view list, std::string_view item) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == item) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

// Lines are "number:controllers:path"; version 2 has number 0 and no controllers. A machine with
// both has version 2 in a folder of its own.
std::vector<control_group> control_groups(std::string_view controller, const std::string& root) {
  const std::string mounts = root + "/sys/fs/cgroup";
  std::ifstream lines(root + "/proc/self/cgroup");
  std::vector<control_group> out;
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (!path.starts_with('/')) continue;
    if (controllers.empty()) {
      for (const char* mount : {"", "/unified"}) add_with_ancestors(mounts + mount, path, 2, out);
    } else if (has_item(controllers, controller)) {
      for (const std::string_view name : {std::string_view(controllers), controller})
        add_with_ancestors(std::string(mounts).append("/").append(name), path, 1, out);
    }
  }
  return out;
}

}  // namespace am::detail::base
