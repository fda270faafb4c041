// What a host checks and chooses before its ranks start: the program, descriptors, binding.
#pragma once

#include <libam/base/settings.hpp>
#include <libam/tools/am-run/options.hpp>
#include <libam/tools/am-run/ranks/launch.hpp>
#include <libam/tools/am-run/remote/host_frames.hpp>

#include <cstddef>
#include <string>

namespace am::detail::run {

struct preparation {
  launch_plan plan;
  std::string message;  // to print; empty: nothing
  std::string problem;  // why the start is impossible; empty if it is not
  int status = 0;       // am-run's, if there is a problem
};

// On am-run's own host, beside agents on `other_hosts` other ones.
preparation prepare_here(const options& requested, const rank_block& block,
                         const base::settings& settings, std::size_t other_hosts);

// On the host of an agent, whose environment and working directory become those of the order.
preparation prepare_agent(const start_order& order, base::settings& settings);

// The order to an agent: this process's environment and working directory.
start_order make_order(const options& requested, const rank_block& block);

}  // namespace am::detail::run
