// The hosts of the command line (--hosts, --hostfile), which ranks each of them gets, and the tree
// by which am-run reaches them.
#pragma once

#include <am/types.h>
#include <libam/tools/am-run/job/rank_set.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace am::detail::run {

// What gethostname says.
std::string own_host_name();

struct host_slots {
  std::string name;
  am_rank slots = 1;
};

struct placed_host {
  std::string name;
  bool is_local = false;
  rank_set ranks;
};

// False, and one line: `text` is no list "a:2,b:2,c".
bool read_hosts(std::string_view text, std::vector<host_slots>& out, std::string& problem);

// A file with a host on each line: "a", "a:2" or "a slots=2"; # begins a comment.
bool read_host_file(const std::string& path, std::vector<host_slots>& out, std::string& problem);

// by_slot: a host is filled before the next one gets ranks. by_node: every host that has a slot
// left gets one rank in turn.
enum class rank_mapping { by_slot, by_node };

// Fills the slots of the hosts in their order with `ranks` ranks; 0: all slots, and `ranks` becomes
// their number. Where there are more ranks than slots, each host gets more in proportion. A host
// that is named again gets more slots. False, and one line: more ranks than a job may have.
bool place_ranks(const std::vector<host_slots>& hosts, rank_mapping mapping, am_rank& ranks,
                 std::vector<placed_host>& out, std::string& problem);

// am-run, and an agent, starts agents on at most so many hosts, or one more where its own host is
// between them in the list. Each of them starts those of its group in the same way, so 1,000 hosts
// are reached in three steps.
inline constexpr std::size_t fan_out = 16;
using host_group = std::span<const placed_host>;

// Groups of consecutive hosts, of one size as far as possible. A local host is a group of its own.
std::vector<host_group> groups_of(host_group hosts);

}  // namespace am::detail::run
