#include <calib/driver/peers.hpp>

#include <calib/driver/format.hpp>

#include <am/clock.hpp>
#include <calib/driver/analysis.hpp>
#include <calib/driver/catalogue.hpp>
#include <calib/driver/child.hpp>
#include <calib/driver/json.hpp>
#include <calib/driver/progress.hpp>
#include <calib/driver/table.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>

namespace calib {
namespace {

constexpr double much_stolen = 0.05;
constexpr double some_stolen = 0.01;
constexpr double busy_others = 0.15;
constexpr double some_others = 0.03;

void say(const std::string& line) { std::fprintf(stderr, "am-calibrate: %s\n", line.c_str()); }

void describe_start(result& into) {
  const am::clock clock;
  conditions& c = into.conditions;
  into.machine = this_machine();
  c.clock = clock.source();
  c.clock_resolution_ns = clock.resolution_ns();
  c.clock_cost_ns = clock.cost_ns();
  c.allowed_cpus = allowed_cpus();
  if (!c.allowed_cpus.empty()) c.governor = governor(c.allowed_cpus.front());
  c.load_before = load_average();
}

// Every layer must have had the same two CPUs, and two of them.
void judge_pinning(result& into) {
  conditions& c = into.conditions;
  std::set<std::vector<int>> places;
  for (const auto& [layer, cpus] : c.pinning) {
    std::vector<int> place;
    for (const auto& [rank, cpu] : cpus) place.push_back(cpu);
    if (place.size() >= 2 && place[0] == place[1])
      into.unfit.push_back(format("{}: both processes on CPU {}", layer, place[0]));
    else if (place.size() >= 2 && siblings(place[0], place[1]))
      c.cores_shared = true;
    places.insert(place);
  }
  if (places.size() > 1)
    into.unfit.push_back("the layers ran on different CPUs (see pinning in the JSON)");
  if (c.cores_shared)
    into.remarks.push_back("the two CPUs are threads of one core: other pairs will be slower");
}

void judge_conditions(result& into) {
  conditions& c = into.conditions;
  judge_pinning(into);
  if (c.stolen > some_stolen)
    (c.stolen > much_stolen ? into.unfit : into.remarks)
        .push_back(
            format("the hypervisor took {:.0f} % of the CPU time for others", 100 * c.stolen));
  if (c.others > some_others)
    (c.others > busy_others ? into.unfit : into.remarks)
        .push_back(format("other processes used {:.0f} % of the CPUs meanwhile: measure on a quiet "
                          "machine",
                          100 * c.others));
  if (!c.governor.empty() && c.governor != "performance")
    into.remarks.push_back(format(
        "CPU governor is {}: `cpupower frequency-set -g performance` is steadier", c.governor));
  if (c.clock != "tsc")
    into.remarks.push_back(
        "no steady cycle counter on this machine: times are from CLOCK_MONOTONIC");
#ifndef NDEBUG
  into.unfit.push_back("this is not a release build");
#endif
}

// False: it could not be written.
bool write_json(const result& from, const std::string& where) {
  const std::string text = json_of(from);
  if (where == "-") {
    std::fputs(text.c_str(), stdout);
    return std::fflush(stdout) == 0;
  }
  std::ofstream file(where);
  file << text << std::flush;
  if (!file) say("cannot write " + where);
  return static_cast<bool>(file);
}

bool can_write(const std::string& where) {
  if (where == "-") return true;
  const bool good = static_cast<bool>(std::ofstream(where, std::ios::app));
  if (!good) say("cannot write " + where);
  return good;
}

// Two spinning processes on one CPU take turns by the scheduler's clock: that would take hours and
// say nothing.
bool has_two_cpus(result& into) {
  if (into.conditions.allowed_cpus.size() >= 2) return true;
  into.unfit.emplace_back(
      "this process may use 1 CPU and two are needed: nothing was measured (see taskset, cgroups)");
  return false;
}

void take_all(const catalogue& from, const plan& planned, result& into) {
  prepare_for_children();
  const disturbance_meter disturbance;
  const auto start = std::chrono::steady_clock::now();
  progress bar;
  campaign taken = measure(
      from.ways, planned, [&](const event& now) { bar.show(now); },
      [](const campaign& so_far) { return ratios_reached(so_far.launches); });
  const auto disturbed = disturbance.read();

  conditions& c = into.conditions;
  c.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  c.rounds = taken.rounds;
  c.ratios_reached = ratios_reached(taken.launches);
  c.stolen = disturbed.stolen;
  c.others = disturbed.others;
  c.load_after = load_average();
  into.complete = taken.complete;
  into.launches = std::move(taken.launches);
  analyse(into);
  judge_conditions(into);
}

exit_status verdict(const result& from) {
  if (stop_asked()) return stopped;
  if (!from.failed.empty()) return failed;
  return from.unfit.empty() ? good : unfit;
}

}  // namespace

exit_status peers(const peers_request& request) {
  if (request.json && !can_write(*request.json)) return failed;
  const catalogue found =
      find_layers(request.planned.transports, request.layers, !request.planned.bytes.empty());
  for (const std::string& line : found.missing) say(line);
  if (found.ways.empty()) {
    say("no layer to measure");
    return failed;
  }

  result whole;
  whole.missing = found.missing;
  whole.conditions.planned = request.planned;
  describe_start(whole);
  whole.complete = has_two_cpus(whole);
  if (whole.complete) take_all(found, request.planned, whole);

  if (request.json && !write_json(whole, *request.json)) return failed;
  if (!request.json || *request.json != "-")
    std::fputs(table_of(whole, may_colour(STDOUT_FILENO)).c_str(), stdout);
  for (const std::string& line : whole.failed) say("failed: " + line);
  for (const std::string& line : whole.unfit) say("unfit: " + line);
  if (stop_asked()) say("stopped; what had been measured until then was written");
  return verdict(whole);
}

}  // namespace calib
