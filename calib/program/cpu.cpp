#include <calib/program/cpu.hpp>

#include <calib/program/line_meter.hpp>
#include <calib/program/report.hpp>

#include <sched.h>

#include <algorithm>
#include <string>
#include <vector>

namespace calib {
namespace {

std::vector<int> allowed() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) report::fault("cannot ask for the CPUs");
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mask)) cpus.push_back(cpu);
  return cpus;
}

void pin_to(int rank, int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) report::fault("cannot pin to a CPU");
  report::cpu(rank, cpu);
}

}  // namespace

void pin(int rank) {
  const std::vector<int> cpus = allowed();
  pin_to(rank, cpus[static_cast<std::size_t>(rank) % cpus.size()]);
  if (const std::string why = line_meter::join(rank); !why.empty()) report::note("no_line", why);
}

void pin_evenly(int rank, int ranks) {
  const std::vector<int> cpus = allowed();
  pin_to(rank,
         cpus[static_cast<std::size_t>(rank) * cpus.size() / static_cast<std::size_t>(ranks)]);
}

// The minimum over several trials: disturbances only add time.
processor::processor() {
  constexpr std::uint64_t trial = 20'000;
  constexpr int tries = 20;
  ns_per_step_ = 1e9;
  for (int i = 0; i < tries; ++i) {
    const std::uint64_t start = now();
    compute(trial);
    ns_per_step_ = std::min(ns_per_step_, ns(now() - start) / trial);
  }
}

void processor::compute(std::uint64_t steps) noexcept {
  for (; steps > 0; --steps) asm volatile("" : "+r"(steps));
}

}  // namespace calib
