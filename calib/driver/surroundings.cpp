#include <calib/driver/surroundings.hpp>

#include <am/clock.hpp>
#include <calib/driver/catalogue.hpp>
#include <calib/format.hpp>

#include <algorithm>

namespace calib {
namespace {

constexpr double much_stolen = 0.05;
constexpr double some_stolen = 0.01;
constexpr double busy_others = 0.15;
constexpr double some_others = 0.03;

// Which of a pair is on which CPU does not matter, nor where others are.
std::vector<int> two_of(std::vector<int> place) {
  place.resize(std::min<std::size_t>(place.size(), 2));
  std::ranges::sort(place);
  return place;
}

// Every layer must have had the same two CPUs, and two of them.
void judge_pinning(surroundings& at, judgement& into) {
  std::set<std::vector<int>> places;
  for (const auto& [layer, cpus] : at.pinning) {
    std::vector<int> place;
    for (const auto& [rank, cpu] : cpus) place.push_back(cpu);
    if (place.size() >= 2 && place[0] == place[1])
      into.unfit.push_back(format("{}: both processes on CPU {}", layer, place[0]));
    else if (place.size() >= 2 && siblings(place[0], place[1]))
      at.cores_shared = true;
    if (layer != "am-self") places.insert(two_of(place));  // one alone is anywhere
  }
  for (const std::string& layer : at.unpinned)
    into.unfit.push_back(layer + ": its processes were not pinned, and could be moved about");
  if (places.size() > 1)
    into.unfit.push_back("the layers ran on different CPUs (see pinning in the JSON)");
  if (at.cores_shared)
    into.remarks.push_back("the two CPUs are threads of one core: other pairs will be slower");
}

}  // namespace

surroundings look_around() {
  surroundings at;
  const am::clock clock;
  at.clock = clock.source();
  at.clock_resolution_ns = clock.resolution_ns();
  at.clock_cost_ns = clock.cost_ns();
  at.allowed_cpus = allowed_cpus();
  if (!at.allowed_cpus.empty()) at.governor = governor(at.allowed_cpus.front());
  at.load_before = load_average();
  return at;
}

bool has_two_cpus(const surroundings& at, judgement& of) {
  if (at.allowed_cpus.size() >= 2) return true;
  of.unfit.emplace_back(
      "this process may use 1 CPU and two are needed: nothing was measured (see taskset, cgroups)");
  return false;
}

void hear(const std::vector<launch>& launches, surroundings& into) {
  for (const launch& one : launches) {
    const std::string name = name_of(one.who);
    for (const auto& [key, text] : one.notes) into.notes[name][key] = text;
    if (one.confined)
      for (const auto& [rank, cpu] : one.cpus) into.pinning[name][rank] = cpu;
    const std::size_t processes = one.who.layer == "am-self" ? 1 : 2;
    if (one.fault.empty() && !one.placed && one.cpus.size() < processes) into.unpinned.insert(name);
  }
}

void judge(surroundings& at, judgement& into) {
  judge_pinning(at, into);
  if (at.stolen > some_stolen)
    (at.stolen > much_stolen ? into.unfit : into.remarks)
        .push_back(
            format("the hypervisor took {:.0f} % of the CPU time for others", 100 * at.stolen));
  if (at.others && *at.others > some_others)
    (*at.others > busy_others ? into.unfit : into.remarks)
        .push_back(format("other processes used {:.0f} % of the CPUs meanwhile: measure on a quiet "
                          "machine",
                          100 * *at.others));
  if (!at.governor.empty() && at.governor != "performance")
    into.remarks.push_back(format(
        "CPU governor is {}: `cpupower frequency-set -g performance` is steadier", at.governor));
  if (at.clock != "tsc")
    into.remarks.push_back(
        "no steady cycle counter on this machine: times are from CLOCK_MONOTONIC");
#ifndef NDEBUG
  into.unfit.push_back("this is not a release build");
#endif
}

void watch_over::read(surroundings& into) const {
  const auto disturbed = disturbance_.read();
  into.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  into.stolen = disturbed.stolen;
  into.others = disturbed.others;
  into.load_after = load_average();
}

}  // namespace calib
