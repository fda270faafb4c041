// The command that starts an agent on another host.
#pragma once

#include <string>
#include <vector>

namespace am::detail::run {

inline constexpr char agent_option[] = "--agent";

// `rsh`: words separated by spaces. `prefix`: where libam is installed there; empty: the path of
// this am-run.
std::vector<std::string> agent_command(const std::string& rsh, const std::string& host,
                                       const std::string& prefix);

}  // namespace am::detail::run
