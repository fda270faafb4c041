// The CPUs that this process may use, and the CPU time that its control groups leave to it, which
// the affinity mask does not show.
#pragma once

#include <string>
#include <vector>

namespace am::detail::base {

// Their numbers in the affinity mask; never empty.
std::vector<unsigned> allowed_cpus();

// Their number, or fewer if the control groups allow less time.
unsigned count_allowed_cpus();

// The least that any group between this process and the root allows, in CPUs: 1.5 for 150 ms in
// every 100. Infinite where nothing is limited or can be read. Groups of version 2 (cpu.max) and
// version 1 (cpu.cfs_quota_us, cpu.cfs_period_us), below `root`, "" for the machine's.
double cpu_quota(const std::string& root = "");

// `cpus`, or as many whole CPUs as the quota allows, but at least one.
unsigned limit_to_quota(unsigned cpus, double quota = cpu_quota());

}  // namespace am::detail::base
