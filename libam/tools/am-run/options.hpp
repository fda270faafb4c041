// The command line of am-run. Options for the environment of the ranks (-x, --transport) change
// am-run's own, which ranks of this host inherit and other hosts get with their orders.
#pragma once

#include <am/types.h>
#include <libam/tools/am-run/job/hosts.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the name is CLI11's
class App;
}

namespace am::detail::run {

struct options {
  am_rank ranks = 0;
  std::string bind;  // core, none, or empty: core if every rank can have one
  bool label = false;
  bool check = false;
  std::vector<std::string> command;
  std::vector<std::string> exports;  // the names of -x
  std::string host_list;             // --hosts
  std::string host_file;             // --hostfile
  std::vector<placed_host> hosts;    // in the order of their ranks; at least one
  rank_mapping mapping = rank_mapping::by_slot;
  std::string prefix;  // DIR/bin/am-run is am-run on the other hosts; empty: as here
  std::string rsh;     // as AM_RSH
  // Before -x and --transport: for the commands that reach other hosts.
  std::vector<std::string> original_environment;

  // Does the output of the ranks pass through am-run? A single rank of this host writes to am-run's
  // own streams.
  [[nodiscard]] bool captures_output() const noexcept { return ranks > 1 || label; }
};

// One line, and the exit status of bad usage.
int reject_usage(std::string_view text);

// The values of the command line, as CLI11 stores them.
struct command_line {
  options requested;
  std::string hosts;
  std::string host_file;
  std::string map_by;
  std::string transport;
  std::vector<std::string> exports;
};

// The one description of the command, from which --help, the manual page and the completion are
// made.
void describe(CLI::App& app, command_line& into);

// The exit status, if there is nothing to run: after --help, or after bad usage.
std::optional<int> read_options(int argc, char** argv, options& out);

// Chooses the hosts of the ranks, and the number of ranks if -n does not give it. The exit status,
// after bad usage.
std::optional<int> choose_hosts(options& out);

}  // namespace am::detail::run
