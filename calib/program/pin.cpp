#include <calib/program/pin.hpp>

#include <calib/program/report.hpp>

#include <sched.h>

#include <vector>

namespace calib {

void pin(int rank) {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) report::fault("cannot ask for the CPUs");
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mask)) cpus.push_back(cpu);
  const int mine = cpus[static_cast<std::size_t>(rank) % cpus.size()];
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(mine, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) report::fault("cannot pin to a CPU");
  report::cpu(rank, mine);
}

}  // namespace calib
