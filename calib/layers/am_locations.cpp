#include <calib/layers/am_locations.hpp>

#include <hwloc.h>

#include <cstdlib>
#include <fstream>
#include <span>
#include <string>

namespace calib {
namespace {

// It tells no hosts apart: those of one kernel are containers.
std::string this_kernel() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(file, text);
  return text;
}

std::string text_of(hwloc_const_bitmap_t set) {
  char* text = nullptr;
  if (hwloc_bitmap_list_asprintf(&text, set) < 0) return {};
  const std::string out = text;
  std::free(text);
  return out;
}

// The outermost cache that all of these CPUs share, named by all CPUs that share it in the numbers
// of the kernel: other numbers depend on the part of the machine that a process may see.
std::string cache_of(hwloc_topology_t machine, hwloc_const_bitmap_t cpus) {
  std::string out;
  for (hwloc_obj_t at = hwloc_get_obj_covering_cpuset(machine, cpus); at != nullptr;
       at = at->parent)
    if (hwloc_obj_type_is_dcache(at->type) != 0)
      out = std::string(hwloc_obj_type_string(at->type)) + ' ' + text_of(at->complete_cpuset);
  return out;
}

rank_location own_location(std::uint32_t host) {
  rank_location out{host, this_kernel(), {}, {}};
  hwloc_topology_t machine = nullptr;
  if (hwloc_topology_init(&machine) != 0) return out;
  hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
  if (hwloc_topology_load(machine) == 0 &&
      hwloc_get_cpubind(machine, cpus, HWLOC_CPUBIND_THREAD) == 0)
    out = {host, out.kernel, cache_of(machine, cpus), text_of(cpus)};
  hwloc_bitmap_free(cpus);
  hwloc_topology_destroy(machine);
  return out;
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string text_at(am::endpoint& ep, am::rank_id rank, const char* key) {
  const std::vector<std::byte> blob = ep.job_get(rank, key);
  return {reinterpret_cast<const char*>(blob.data()), blob.size()};
}

}  // namespace

std::vector<rank_location> gather_locations(am::endpoint& ep) {
  const rank_location mine = own_location(ep.host_of(ep.rank()));
  ep.job_put("calib.kernel", bytes_of(mine.kernel));
  ep.job_put("calib.cache", bytes_of(mine.cache));
  ep.job_put("calib.cpus", bytes_of(mine.cpus));
  ep.job_fence();
  std::vector<rank_location> out;
  for (am::rank_id rank = 0; rank < ep.ranks(); ++rank)
    out.push_back({ep.host_of(rank), text_at(ep, rank, "calib.kernel"),
                   text_at(ep, rank, "calib.cache"), text_at(ep, rank, "calib.cpus")});
  return out;
}

std::string shared_cpu(const std::vector<rank_location>& ranks, am::rank_id peer) {
  if (!may_share_cpu(ranks[0], ranks[peer])) return {};
  const bool one_host = ranks[0].host == ranks[peer].host;
  return "ranks 0 and " + std::to_string(peer) + " may both run on one CPU: " +
         (one_host ? "am-run --bind core keeps them apart" : "their hosts have CPUs in common");
}

}  // namespace calib
