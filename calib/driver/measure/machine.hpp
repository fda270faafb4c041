// What this machine is, and what disturbed a measurement on it.
#pragma once

#include <string>
#include <vector>

namespace calib {

struct machine {
  std::string cpu;
  unsigned cores = 0;  // online
  std::vector<std::string> caches;
  std::string hypervisor;  // "" if none is visible
  std::string kernel;
  double memory_gib = 0;
};
machine this_machine();

// The machine in one line, with a newline.
std::string headline(const machine& m);

// "performance", "powersave", …; "" if the kernel shows none.
std::string governor(int cpu);

double load_average();

// Of the CPU time of all online CPUs since the meter was made: what the hypervisor gave to other
// guests, and what processes used that are not ours. 0 to 1.
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
