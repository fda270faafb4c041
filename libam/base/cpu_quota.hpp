// How much CPU time the control groups of this process leave it: the affinity mask does not tell.
#pragma once

#include <string>

namespace am::detail::base {

// The least that any group between this process and the root allows, in CPUs: 1.5 for 150 ms in
// every 100. Infinite where nothing is limited or nothing can be read. Groups of version 2
// (cpu.max) and version 1 (cpu.cfs_quota_us, cpu.cfs_period_us), below `root`, "" for the
// machine's.
double cpu_quota(const std::string& root = "");

// `cpus`, or as many whole ones as the quota allows, but one at least.
unsigned within_quota(unsigned cpus, double quota = cpu_quota());

}  // namespace am::detail::base
