#include <calib/driver/measure/machine.hpp>

#include <calib/driver/launch/cpus.hpp>
#include <calib/format.hpp>

#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#if defined(__x86_64__)
#include <cpuid.h>

#include <cstring>
#endif

namespace calib {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::vector<std::string> caches_of(int cpu) {
  std::vector<std::string> out;
  for (int index = 0;; ++index) {
    const std::string at = "cache/index" + std::to_string(index);
    const std::string level = cpu_attribute(cpu, at + "/level");
    if (level.empty()) return out;
    out.push_back("L" + level + ' ' + cpu_attribute(cpu, at + "/type") + ' ' +
                  cpu_attribute(cpu, at + "/size"));
  }
}

std::string hypervisor_name() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  __cpuid(1, a, b, c, d);
  if ((c >> 31 & 1U) == 0) return {};
  __cpuid(0x40000000U, a, b, c, d);
  char name[13] = {};
  std::memcpy(name, &b, 4);
  std::memcpy(name + 4, &c, 4);
  std::memcpy(name + 8, &d, 4);
  if (std::string(name) == "KVMKVMKVM") return "KVM";
  return *name != '\0' ? name : "unknown";
#else
  return first_line("/sys/hypervisor/type");
#endif
}

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

// `of`: RUSAGE_SELF or RUSAGE_CHILDREN.
double cpu_time(int of) {
  rusage used{};
  ::getrusage(of, &used);
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace

machine this_machine() {
  machine out;
  out.cpu = cpu_model();
  out.cores = static_cast<unsigned>(::sysconf(_SC_NPROCESSORS_ONLN));
  const std::vector<int> cpus = allowed_cpus();
  if (!cpus.empty()) out.caches = caches_of(cpus.front());
  out.hypervisor = hypervisor_name();
  utsname names{};
  ::uname(&names);
  out.kernel = std::string(names.sysname) + ' ' + names.release;
  struct sysinfo memory {};
  ::sysinfo(&memory);
  out.memory_gib =
      static_cast<double>(memory.totalram) * static_cast<double>(memory.mem_unit) / (1U << 30U);
  return out;
}

std::string headline(const machine& m) {
  return format("{}, {} cores{}, {}\n", m.cpu, m.cores,
                m.hypervisor.empty() ? "" : " under " + m.hypervisor, m.kernel);
}

std::string governor(int cpu) { return cpu_attribute(cpu, "cpufreq/scaling_governor"); }

double load_average() { return std::strtod(first_line("/proc/loadavg").c_str(), nullptr); }

disturbance_meter::disturbance_meter() : start_(now()) {}

disturbance_meter::counters disturbance_meter::now() {
  std::istringstream line(first_line("/proc/stat"));
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  line >> name >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
  const auto tick = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const double busy = (user + nice + system + irq + softirq) / tick;
  return {busy + (idle + iowait + steal) / tick, busy, steal / tick,
          cpu_time(RUSAGE_SELF) + cpu_time(RUSAGE_CHILDREN)};
}

disturbance_meter::reading disturbance_meter::read() const {
  const counters end = now();
  const double all = std::max(end.all - start_.all, 1e-9);
  const double others = (end.busy - start_.busy) - (end.ours - start_.ours);
  return {(end.stolen - start_.stolen) / all, std::max(others, 0.0) / all};
}

}  // namespace calib
