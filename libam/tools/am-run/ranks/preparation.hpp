// What a host checks and chooses before its ranks start: the program, descriptors, binding.
#pragma once

#include <libam/base/settings.hpp>
#include <libam/tools/am-run/job/rank_set.hpp>
#include <libam/tools/am-run/options.hpp>
#include <libam/tools/am-run/ranks/launch.hpp>
#include <libam/tools/am-run/ranks/program.hpp>
#include <libam/tools/am-run/remote/host_frames.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace am::detail::run {

// What a host is to start.
struct host_start {
  rank_set ranks;                    // may be none on am-run's own host
  std::vector<std::string> command;  // PROG and its arguments
  program found;                     // PROG, where there are ranks
  std::string bind;                  // as options::bind
  bool captures_output = true;
  std::size_t agents = 0;  // on other hosts
  std::string shm_folder;
};

struct preparation {
  launch_plan plan;
  std::string message;  // to print; empty: nothing
  std::string problem;  // why the start is impossible; empty if it is not
  int status = 0;       // am-run's, if there is a problem
};

preparation prepare(const host_start& what);

host_start start_here(const options& requested, const base::settings& settings);

// The order to an agent on the first of these hosts: this process's environment and working
// directory.
start_order make_order(const options& requested, std::span<const placed_host> hosts);
// At the agent. Its environment, working directory and settings become those of the order; may be a
// problem.
preparation enter_order(const start_order& order, base::settings& settings);
host_start start_of(const start_order& order, const base::settings& settings);

}  // namespace am::detail::run
