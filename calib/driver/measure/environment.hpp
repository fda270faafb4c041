// The conditions of a measurement, and whether its figures are fit for use.
#pragma once

#include <calib/driver/launch/launch.hpp>
#include <calib/driver/measure/machine.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace calib {

// Whether figures are good, in messages for people.
struct fitness {
  std::vector<std::string> remarks;  // worth knowing
  std::vector<std::string> unfit;    // why the figures should not be used
  std::vector<std::string> failed;   // layers of libam and limits that could not be measured
};

struct environment {
  std::string clock;
  double clock_resolution_ns = 0;
  double clock_cost_ns = 0;
  std::vector<int> allowed_cpus;
  std::map<std::string, std::map<int, int>> pinning;  // name of a layer, rank, CPU
  std::set<std::string> unpinned;                     // layers with processes that were not pinned
  bool cores_shared = false;
  std::string governor;
  double stolen = 0;
  std::optional<double> others;  // unknown in a job: its other ranks would count as others
  double load_before = 0;
  double load_after = 0;
  double seconds = 0;
  std::map<std::string, std::map<std::string, std::string>> notes;  // of layers: version, settings
};

// Before anything is measured.
environment read_environment();

// Two spinning processes on one CPU alternate at the scheduler's clock: a measurement would take
// hours and be of no use. False: `into` says so.
bool has_two_cpus(const environment& env, fitness& into);

// Why a measurement should not begin at this load average; empty: it may. A machine whose other
// processes use as much is unfit.
std::string find_busyness(double load, unsigned cores);

// Adds what the layers have reported: their notes, and where their processes were pinned.
void collect_notes(const std::vector<launch>& launches, environment& into);

// Adds to `into` why the environment was not fit, and what is worth knowing. Sets cores_shared.
void check_environment(environment& env, fitness& into);

// Observes the machine from its construction until read(): the time, and the load by others.
class environment_monitor {
 public:
  void read(environment& into) const;

 private:
  disturbance_meter disturbance_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace calib
