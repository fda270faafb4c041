// What a host checks and chooses before its ranks start: the program, descriptors, binding.
#pragma once

#include <libam/base/settings.hpp>
#include <libam/tools/am-run/options.hpp>
#include <libam/tools/am-run/ranks/launch.hpp>
#include <libam/tools/am-run/remote/host_frames.hpp>

#include <span>
#include <string>

namespace am::detail::run {

struct preparation {
  launch_plan plan;
  std::string message;  // to print; empty: nothing
  std::string problem;  // why the start is impossible; empty if it is not
  int status = 0;       // am-run's, if there is a problem
};

// On am-run's own host, which may have no ranks.
preparation prepare_here(const options& requested, const base::settings& settings);

// On the host of an agent, whose environment and working directory become those of the order.
preparation prepare_agent(const start_order& order, base::settings& settings);

// The order to an agent on the first of these hosts: this process's environment and working
// directory.
start_order make_order(const options& requested, std::span<const placed_host> hosts);

}  // namespace am::detail::run
