#include <libam/base/memory_limit.hpp>

#include <libam/base/control_groups.hpp>

#include <algorithm>
#include <fstream>
#include <limits>

namespace am::detail::base {
namespace {

constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
// Without a limit version 1 has the largest number of whole pages, which is above this.
constexpr std::size_t no_limit_1 = std::size_t{1} << 62;
// The kernel charges memory for each CPU in batches, ahead of need.
constexpr std::size_t charge_batch = std::size_t{1} << 20;

// `all` if there is no such file, or for "max".
std::size_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::size_t value = 0;
  return file >> value ? value : all;
}

// What the kernel would reclaim before it kills a process: pages of files on disks.
std::size_t reclaimable(const std::string& stat_file, unsigned version) {
  const std::string prefix = version == 1 ? "total_" : "";
  std::ifstream file(stat_file);
  std::size_t sum = 0;
  std::string name;
  for (std::size_t value = 0; file >> name >> value;)
    if (name == prefix + "active_file" || name == prefix + "inactive_file") sum += value;
  return sum;
}

}  // namespace

memory_limit memory_limit::of_this_process(const std::string& root) {
  memory_limit found;
  for (const control_group& g : control_groups("memory", root)) {
    const bool old = g.version == 1;
    const std::size_t limit =
        number_in(g.folder + (old ? "/memory.limit_in_bytes" : "/memory.max"));
    if (limit >= no_limit_1) continue;
    found.limited_.push_back({g.folder + (old ? "/memory.usage_in_bytes" : "/memory.current"),
                              g.folder + "/memory.stat", g.version, limit});
  }
  return found;
}

std::size_t memory_limit::remaining() const {
  std::size_t least = all;
  for (const group& g : limited_) least = std::min(least, remaining_in(g));
  return least;
}

std::size_t memory_limit::remaining_in(const group& g) {
  const std::size_t usage = number_in(g.usage_file);
  if (usage == all) return all;
  const std::size_t taken =
      usage - std::min(usage, reclaimable(g.stat_file, g.version)) + charge_batch;
  return g.limit - std::min(g.limit, taken);
}

}  // namespace am::detail::base
