#include <libam/base/cpus.hpp>

#include <libam/base/control_groups.hpp>

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <thread>

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

// A quota of -1 means none.
double version_1(const std::string& group) {
  std::ifstream quota_file(group + "/cpu.cfs_quota_us");
  std::ifstream period_file(group + "/cpu.cfs_period_us");
  double quota = 0;
  double period = 0;
  return quota_file >> quota && period_file >> period ? cpus_of(quota, period) : unlimited;
}

}  // namespace

// sched_getaffinity needs a mask that is large enough for the machine, so the mask grows.
std::vector<unsigned> allowed_cpus() {
  constexpr std::size_t most = 1U << 20;
  for (std::size_t room = CPU_SETSIZE; room <= most; room *= 2) {
    std::vector<cpu_set_t> mask(room / CPU_SETSIZE);
    const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
    if (::sched_getaffinity(0, bytes, mask.data()) != 0) {
      if (errno == EINVAL) continue;
      break;
    }
    std::vector<unsigned> cpus;
    for (unsigned cpu = 0; cpu < room; ++cpu)
      if (CPU_ISSET_S(cpu, bytes, mask.data())) cpus.push_back(cpu);
    return cpus;
  }
  // There is no mask: all that exist.
  std::vector<unsigned> cpus(std::max(1U, std::thread::hardware_concurrency()));
  for (unsigned cpu = 0; cpu < cpus.size(); ++cpu) cpus[cpu] = cpu;
  return cpus;
}

unsigned count_allowed_cpus() {
  return limit_to_quota(static_cast<unsigned>(allowed_cpus().size()));
}

double cpu_quota(const std::string& root) {
  double least = unlimited;
  for (const control_group& group : control_groups("cpu", root))
    least = std::min(least, group.version == 2 ? version_2(group.folder) : version_1(group.folder));
  return least;
}

unsigned limit_to_quota(unsigned cpus, double quota) {
  return quota >= cpus ? cpus : std::max(1U, static_cast<unsigned>(quota));
}

}  // namespace am::detail::base
