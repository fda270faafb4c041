#include <libam/base/cpu_quota.hpp>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>

namespace am::detail::base {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

double cpus_of(double quota_us, double period_us) {
  return quota_us > 0 && period_us > 0 ? quota_us / period_us : unlimited;
}

// "150000 100000", or "max 100000"; unlimited if there is no such file.
double version_2(const std::string& group) {
  std::ifstream file(group + "/cpu.max");
  double quota = 0;
  double period = 0;
  return file >> quota >> period ? cpus_of(quota, period) : unlimited;
}

// A quota of -1 is none.
double version_1(const std::string& group) {
  std::ifstream quota_file(group + "/cpu.cfs_quota_us");
  std::ifstream period_file(group + "/cpu.cfs_period_us");
  double quota = 0;
  double period = 0;
  return quota_file >> quota && period_file >> period ? cpus_of(quota, period) : unlimited;
}

// The least of a group and all above it. In a container the path may be the host's, of which only
// the end of the way up can be seen: what is not there limits nothing.
template <class Read>
double least_on_the_way_up(const std::string& mount, std::string path, Read&& read) {
  double least = unlimited;
  for (;;) {
    while (path.ends_with('/')) path.pop_back();
    least = std::min(least, read(mount + path));
    if (path.empty()) return least;
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
double cpu_quota(const std::string& root) {
  const std::string mounts = root + "/sys/fs/cgroup";
  std::ifstream groups(root + "/proc/self/cgroup");
  double least = unlimited;
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (!path.starts_with('/')) continue;
    if (controllers.empty()) {
      for (const char* mount : {"", "/unified"})
        least = std::min(least, least_on_the_way_up(mounts + mount, path, version_2));
    } else if (has_item(controllers, "cpu")) {
      for (const std::string& mount : {"/" + controllers, std::string("/cpu")})
        least = std::min(least, least_on_the_way_up(mounts + mount, path, version_1));
    }
  }
  return least;
}

unsigned within_quota(unsigned cpus, double quota) {
  return quota >= cpus ? cpus : std::max(1U, static_cast<unsigned>(quota));
}

}  // namespace am::detail::base
