// A Slurm allocation of several hosts: am-run takes them where the command line names none.
#pragma once

#include <libam/tools/am-run/job/hosts.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace am::detail::run {

// Starts an agent on a host of the allocation, as AM_RSH does. Without -u srun would pass output on
// in lines; the agent must not be taken for a rank of PMIx.
inline constexpr char allocation_rsh[] = "srun -u -N1 -n1 --overlap --mpi=none -w";

// In its batch script, or in the shell of salloc. A process that srun has started is one of
// several, and am-run there is for this host alone.
bool in_allocation();

// Its hosts, with as many slots as each has tasks. False, and one line.
bool read_allocation(std::vector<host_slots>& out, std::string& problem);

// The numbers of "2(x3),1": 2, 2, 2, 1. Empty if it is no such list.
std::vector<am_rank> read_tasks_per_node(std::string_view text);

}  // namespace am::detail::run
