// Under what a measurement was made, and whether that was fit for one.
#pragma once

#include <calib/driver/launch.hpp>
#include <calib/driver/machine.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace calib {

// What must be said of figures besides the figures.
struct judgement {
  std::vector<std::string> remarks;  // worth knowing
  std::vector<std::string> unfit;    // why these figures should not be used
  std::vector<std::string> failed;   // what of ours could not be measured
};

struct surroundings {
  std::string clock;
  double clock_resolution_ns = 0;
  double clock_cost_ns = 0;
  std::vector<int> allowed_cpus;
  std::map<std::string, std::map<int, int>> pinning;  // name of a layer, rank, CPU
  std::set<std::string> unpinned;                     // of these somebody could be moved about
  bool cores_shared = false;
  std::string governor;
  double stolen = 0;
  std::optional<double> others;  // not known in a job, whose other ranks would be among them
  double load_before = 0;
  double load_after = 0;
  double seconds = 0;
  std::map<std::string, std::map<std::string, std::string>> notes;  // its version, settings
};

// Before anything is measured.
surroundings look_around();

// Two spinning processes on one CPU take turns by the scheduler's clock: that would take hours and
// say nothing. False, and a line of why.
bool has_two_cpus(const surroundings& at, judgement& of);

// What the layers have said of themselves.
void hear(const std::vector<launch>& launches, surroundings& into);

void judge(surroundings& at, judgement& into);

// From its making until it is read: how long it took, and what else the machine did meanwhile.
class watch_over {
 public:
  void read(surroundings& into) const;

 private:
  disturbance_meter disturbance_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace calib
