#include <libam/base/control_groups.hpp>
#include <libam/base/cpu_quota.hpp>

#include <algorithm>
#include <fstream>
#include <limits>

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

}  // namespace

double cpu_quota(const std::string& root) {
  double least = unlimited;
  for (const control_group& group : control_groups("cpu", root))
    least = std::min(least, group.version == 2 ? version_2(group.folder) : version_1(group.folder));
  return least;
}

unsigned within_quota(unsigned cpus, double quota) {
  return quota >= cpus ? cpus : std::max(1U, static_cast<unsigned>(quota));
}

}  // namespace am::detail::base
