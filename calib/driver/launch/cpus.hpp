// The CPUs of this machine, and the two that a pair of processes runs on.
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <vector>

namespace calib {

// The first line of a file; "" if it cannot be read.
std::string first_line(const std::string& path);
// The same of a file that the kernel has for this CPU, such as topology/core_id.
std::string cpu_attribute(int cpu, const std::string& file);

// The CPUs that this process may use.
std::vector<int> allowed_cpus();

// The core that a CPU is a thread of; if that is unknown, every field is -1.
struct core {
  int package = -1;
  int number = -1;  // in the package
  auto operator<=>(const core&) const = default;
};
core core_of(int cpu);

// Two of these CPUs for the two processes of a pair, preferably of two cores of one package, or
// else of two cores; all of them if they are fewer. `of` returns the core of a CPU.
std::vector<int> choose_pair_cpus(const std::vector<int>& cpus,
                                  const std::function<core(int)>& of = core_of);

// Are two CPUs threads of one core, as far as the kernel knows?
bool share_core(int a, int b);

}  // namespace calib
