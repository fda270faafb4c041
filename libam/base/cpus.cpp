// Asks the kernel with a mask that grows until it is large enough for the machine.
#include <libam/base/cpu_quota.hpp>
#include <libam/base/cpus.hpp>

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <thread>

namespace am::detail::base {
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
  // No mask to be had: all that are said to exist.
  std::vector<unsigned> cpus(std::max(1U, std::thread::hardware_concurrency()));
  for (unsigned cpu = 0; cpu < cpus.size(); ++cpu) cpus[cpu] = cpu;
  return cpus;
}

unsigned count_allowed_cpus() { return within_quota(static_cast<unsigned>(allowed_cpus().size())); }

}  // namespace am::detail::base
