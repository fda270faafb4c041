#include <calib/driver/measure/environment.hpp>

#include <am/clock.hpp>
#include <calib/driver/launch/catalogue.hpp>
#include <calib/driver/launch/cpus.hpp>
#include <calib/format.hpp>

#include <algorithm>

namespace calib {
namespace {

// Parts of the CPU time: from `some` on it is remarked upon, from `much` on the figures are unfit.
constexpr double some_stolen = 0.01;
constexpr double much_stolen = 0.05;
constexpr double some_others = 0.03;
constexpr double much_others = 0.15;

// The CPUs of a pair, sorted: which of its ranks is on which does not matter, nor do other ranks.
std::vector<int> pair_of(std::vector<int> place) {
  place.resize(std::min<std::size_t>(place.size(), 2));
  std::ranges::sort(place);
  return place;
}

// Every layer must have run on the same two CPUs.
void check_pinning(environment& env, fitness& into) {
  std::set<std::vector<int>> places;
  for (const auto& [layer, cpus] : env.pinning) {
    std::vector<int> place;
    for (const auto& [rank, cpu] : cpus) place.push_back(cpu);
    if (place.size() >= 2 && place[0] == place[1])
      into.unfit.push_back(format("{}: both processes on CPU {}", layer, place[0]));
    else if (place.size() >= 2 && share_core(place[0], place[1]))
      env.cores_shared = true;
    if (layer != "am-self") places.insert(pair_of(place));  // its one process may be on any CPU
  }
  for (const std::string& layer : env.unpinned)
    into.unfit.push_back(layer + ": its processes were not pinned and could migrate");
  for (const auto& [layer, notes] : env.notes)
    if (const auto why = notes.find("shared");
        why != notes.end() && std::ranges::find(into.unfit, why->second) == into.unfit.end())
      into.unfit.push_back(why->second);
  if (places.size() > 1)
    into.unfit.push_back("the layers ran on different CPUs (see pinning in the JSON)");
  if (env.cores_shared)
    into.remarks.push_back("the two CPUs are threads of one core: other pairs will be slower");
}

}  // namespace

environment read_environment() {
  environment env;
  const am::clock clock;
  env.clock = clock.source();
  env.clock_resolution_ns = clock.resolution_ns();
  env.clock_cost_ns = clock.cost_ns();
  env.allowed_cpus = allowed_cpus();
  if (!env.allowed_cpus.empty()) env.governor = governor(env.allowed_cpus.front());
  env.load_before = load_average();
  return env;
}

bool has_two_cpus(const environment& env, fitness& into) {
  if (env.allowed_cpus.size() >= 2) return true;
  into.unfit.emplace_back(
      "two CPUs are needed and this process may use 1: nothing was measured "
      "(see taskset, cgroups)");
  return false;
}

std::string find_busyness(double load, unsigned cores) {
  const double allowed = much_others * cores;
  if (load <= allowed) return {};
  return format("this machine is busy: its load average is {:.2f}, and up to {:.2f} are allowed",
                load, allowed);
}

void collect_notes(const std::vector<launch>& launches, environment& into) {
  for (const launch& one : launches) {
    const std::string name = name_of(one.layer);
    for (const auto& [key, text] : one.notes) into.notes[name][key] = text;
    if (one.confined)
      for (const auto& [rank, cpu] : one.cpus) into.pinning[name][rank] = cpu;
    const std::size_t processes = one.layer.name == "am-self" ? 1 : 2;
    if (one.fault.empty() && !one.placed && one.cpus.size() < processes) into.unpinned.insert(name);
  }
}

void check_environment(environment& env, fitness& into) {
  check_pinning(env, into);
  if (env.stolen > some_stolen)
    (env.stolen > much_stolen ? into.unfit : into.remarks)
        .push_back(
            format("the hypervisor took {:.0f} % of the CPU time for others", 100 * env.stolen));
  if (env.others && *env.others > some_others)
    (*env.others > much_others ? into.unfit : into.remarks)
        .push_back(format("other processes used {:.0f} % of the CPUs: measure on an idle machine",
                          100 * *env.others));
  if (!env.governor.empty() && env.governor != "performance")
    into.remarks.push_back(format(
        "CPU governor is {}: `cpupower frequency-set -g performance` is steadier", env.governor));
  if (env.clock != "tsc")
    into.remarks.push_back(
        "no steady cycle counter on this machine: times are from CLOCK_MONOTONIC");
#ifndef NDEBUG
  into.unfit.push_back("this is not a release build");
#endif
}

void environment_monitor::read(environment& into) const {
  const auto disturbed = disturbance_.read();
  into.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  into.stolen = disturbed.stolen;
  into.others = disturbed.others;
  into.load_after = load_average();
}

}  // namespace calib
