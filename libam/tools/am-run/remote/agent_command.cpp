#include <libam/tools/am-run/remote/agent_command.hpp>

#include <libam/tools/am-run/remote/remote_shell.hpp>

#include <filesystem>
#include <sstream>

namespace am::detail::run {

std::vector<std::string> agent_command(const std::string& rsh, const std::string& host,
                                       const std::string& prefix) {
  std::vector<std::string> command;
  std::istringstream words(rsh);
  for (std::string word; words >> word;) command.push_back(word);
  command.push_back(host);
  std::error_code error;
  const std::string am_run = prefix.empty()
                                 ? std::filesystem::read_symlink("/proc/self/exe", error).string()
                                 : prefix + "/bin/am-run";
  command.push_back(quote_for_shell(am_run));
  command.emplace_back(agent_option);
  return command;
}

}  // namespace am::detail::run
