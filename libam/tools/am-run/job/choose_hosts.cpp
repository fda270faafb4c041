// Which hosts the command line or the Slurm allocation means, and that there are ranks for them.
#include <libam/base/format.hpp>
#include <libam/tools/am-run/job/allocation.hpp>
#include <libam/tools/am-run/options.hpp>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace am::detail::run {

std::optional<int> choose_hosts(options& out) {
  if (!out.host_list.empty() && !out.host_file.empty())
    return reject_usage("--hosts and --hostfile are two lists of hosts: leave one out");
  std::vector<host_slots> hosts;
  std::string problem;
  std::string_view source;
  bool good = true;
  if (!out.host_list.empty()) {
    source = "--hosts";
    good = read_hosts(out.host_list, hosts, problem);
  } else if (!out.host_file.empty()) {
    source = "--hostfile";
    good = read_host_file(out.host_file, hosts, problem);
  } else if (in_allocation()) {
    source = "the Slurm allocation";
    good = read_allocation(hosts, problem);
    if (std::getenv("AM_RSH") == nullptr) out.rsh = allocation_rsh;
  } else {
    if (out.ranks == 0) return reject_usage("no number of ranks: am-run -n N PROG ARGS");
    out.hosts.push_back({own_host_name(), true, rank_set::block(0, out.ranks, out.ranks)});
    return std::nullopt;
  }
  if (!good || !place_ranks(hosts, out.mapping, out.ranks, out.hosts, problem))
    return reject_usage(base::format("{}: {}", source, problem));
  return std::nullopt;
}

}  // namespace am::detail::run
