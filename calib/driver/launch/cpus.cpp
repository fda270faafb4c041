#include <calib/driver/launch/cpus.hpp>

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace calib {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string cpu_attribute(int cpu, const std::string& file) {
  return first_line("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + '/' + file);
}

std::vector<int> allowed_cpus() {
  std::vector<int> out;
  cpu_set_t mask;
  if (::sched_getaffinity(0, sizeof mask, &mask) != 0) return out;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mask)) out.push_back(cpu);
  return out;
}

core core_of(int cpu) {
  const auto number = [&](const char* file) {
    const std::string text = cpu_attribute(cpu, std::string("topology/") + file);
    return text.empty() ? -1 : std::atoi(text.c_str());
  };
  return {number("physical_package_id"), number("core_id")};
}

std::vector<int> choose_pair_cpus(const std::vector<int>& cpus,
                                  const std::function<core(int)>& of) {
  if (cpus.size() < 2) return cpus;
  std::vector<core> cores;
  std::ranges::transform(cpus, std::back_inserter(cores), of);
  enum { same_package, other_package, same_core };  // the best relation first
  const auto relation = [&](std::size_t a, std::size_t b) {
    if (cores[a] == cores[b]) return cores[a] == core{} ? same_package : same_core;
    return cores[a].package == cores[b].package ? same_package : other_package;
  };
  std::size_t first = 0, second = 1;
  for (std::size_t b = 1; b < cpus.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (relation(a, b) < relation(first, second)) first = a, second = b;
  return {cpus[first], cpus[second]};
}

bool share_core(int a, int b) {
  return a == b || (core_of(a) == core_of(b) && core_of(a) != core{});
}

}  // namespace calib
