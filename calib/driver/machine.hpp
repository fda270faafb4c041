// What this machine is, and what disturbed the measurement on it.
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <vector>

namespace calib {

struct machine {
  std::string cpu;
  unsigned cores = 0;  // online
  std::vector<std::string> caches;
  std::string hypervisor;  // "" if there is none to be seen
  std::string kernel;
  double memory_gib = 0;
};
machine this_machine();

// The CPUs that this process may use.
std::vector<int> allowed_cpus();

// Which core a CPU is a thread of; of an unknown one every field is -1.
struct core {
  int package = -1;
  int number = -1;  // in the package
  auto operator<=>(const core&) const = default;
};
core core_of(int cpu);

// The two of these CPUs for the two processes of a pair, or all if they are fewer: of two cores of
// one package, or else of two cores, if there are such. `of` tells the core of a CPU.
std::vector<int> two_for_a_pair(const std::vector<int>& cpus,
                                const std::function<core(int)>& of = core_of);

// Are two CPUs threads of one core, as far as the kernel knows?
bool siblings(int a, int b);

// "performance", "powersave", …; "" if the kernel shows none.
std::string governor(int cpu);

double load_average();

// Of the CPU time that passed on all online CPUs since the meter was made: what the hypervisor gave
// to others, and what processes used that are not ours. 0 to 1.
class disturbance_meter {
 public:
  disturbance_meter();
  struct reading {
    double stolen;
    double others;
  };
  [[nodiscard]] reading read() const;

 private:
  struct counters {
    double all, busy, stolen, ours;  // seconds
  };
  static counters now();
  counters start_;
};

}  // namespace calib
