// The topology is loaded without caches and devices: only cores and their threads are needed.
#include <libam/tools/am-run/ranks/binding.hpp>

#include <libam/base/cpus.hpp>
#include <libam/base/format.hpp>

#include <hwloc.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace am::detail::run {
namespace {

struct destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using topology_handle = std::unique_ptr<hwloc_topology, destroy>;

topology_handle load_cores() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return nullptr;
  topology_handle owned(topology);
  hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  return hwloc_topology_load(topology) == 0 ? std::move(owned) : nullptr;
}

// The index of a CPU among the threads of its core.
unsigned place_in_core(hwloc_obj_t cpu) {
  hwloc_obj_t at = cpu;
  while (at->parent != nullptr && at->parent->type != HWLOC_OBJ_CORE) at = at->parent;
  return at->parent != nullptr ? at->sibling_rank : 0;
}

}  // namespace

std::vector<unsigned> cpus_by_core() {
  const std::vector<unsigned> allowed = base::allowed_cpus();
  const topology_handle topology = load_cores();
  if (!topology) return allowed;
  std::vector<hwloc_obj_t> found;
  for (hwloc_obj_t cpu = nullptr;
       (cpu = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_PU, cpu)) != nullptr;)
    if (std::binary_search(allowed.begin(), allowed.end(), cpu->os_index)) found.push_back(cpu);
  std::stable_sort(found.begin(), found.end(), [](hwloc_obj_t a, hwloc_obj_t b) {
    return place_in_core(a) < place_in_core(b);
  });
  std::vector<unsigned> order;
  for (hwloc_obj_t cpu : found) order.push_back(cpu->os_index);
  return order.empty() ? allowed : order;
}

binding bind_ranks(am_rank ranks, std::string_view mode, std::string& message) {
  std::vector<unsigned> cpus = cpus_by_core();
  binding bindings{static_cast<unsigned>(cpus.size()), {}};
  if (mode != "none" && ranks <= cpus.size()) {
    cpus.resize(ranks);
    bindings.bound_to = std::move(cpus);
  } else if (mode == "core") {
    message = base::format("{} ranks cannot each have one of the {} CPUs here: no rank is bound",
                           ranks, cpus.size());
  }
  return bindings;
}

}  // namespace am::detail::run
