#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/tools/am-run/job/verdict.hpp>
#include <libam/tools/am-run/ranks/limits.hpp>
#include <libam/tools/am-run/ranks/preparation.hpp>
#include <libam/tools/am-run/ranks/program.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

namespace am::detail::run {
namespace {

preparation failed(int status, std::string problem) {
  preparation made;
  made.status = status;
  made.problem = std::move(problem);
  return made;
}

// How many agents this process starts for the hosts of these groups.
std::size_t agents_of(std::span<const placed_host> hosts) {
  return static_cast<std::size_t>(std::ranges::count_if(
      groups_of(hosts), [](const host_group& each) { return !each.front().is_local; }));
}

preparation prepare(const rank_set& ranks, std::vector<std::string> command,
                    const std::string& bind, bool captures_output, std::size_t agents,
                    const program& found) {
  if (!found.problem.empty())
    return failed(found.status, base::format("cannot run {}: {}", command.front(), found.problem));
  const limit files = descriptors_for(ranks.size(), captures_output, agents);
  if (!files.suffices())
    return failed(
        launch_failed,
        base::format("{}{} ranks need {} descriptors and {} are allowed: raise `ulimit {}`",
                     agents != 0 ? base::format("{} agents and ", agents) : "", ranks.size(),
                     files.needed, files.allowed, files.flag));
  preparation made;
  made.plan.files = raise_descriptors();
  made.plan.ranks = ranks;
  made.plan.path = found.path;
  made.plan.command = std::move(command);
  made.plan.captures_output = captures_output;
  made.plan.bindings = bind_ranks(ranks.size(), bind, made.message);
  return made;
}

const std::string& choose_bind(const std::string& requested, const base::settings& settings) {
  return requested.empty() ? settings.bind : requested;
}

bool is_of_job(std::string_view variable) {
  return variable.starts_with("AM_") && !variable.starts_with("AM_JOB_");
}

// All settings are am-run's: those of this host's own start-up files would differ between hosts.
void set_environment(const std::vector<std::string>& variables) {
  std::vector<std::string> old;
  for (char** each = environ; *each != nullptr; ++each)
    if (const std::string_view text(*each); text.starts_with("AM_"))
      old.emplace_back(text.substr(0, text.find('=')));
  for (const std::string& name : old) ::unsetenv(name.c_str());
  for (const std::string& each : variables) {
    const auto equals = each.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    ::setenv(each.substr(0, equals).c_str(), each.c_str() + equals + 1, 1);
  }
}

}  // namespace

preparation prepare_here(const options& requested, const base::settings& settings) {
  const auto local = std::ranges::find_if(requested.hosts, &placed_host::is_local);
  const bool has_ranks = local != requested.hosts.end();
  return prepare(has_ranks ? local->ranks : rank_set{}, requested.command,
                 choose_bind(requested.bind, settings), requested.captures_output(),
                 agents_of(requested.hosts),
                 has_ranks ? find_program(requested.command.front()) : program{});
}

// A name without a slash is looked for as on am-run's host, and then in the PATH of this one.
preparation prepare_agent(const start_order& order, base::settings& settings) {
  set_environment(order.environment);
  if (::chdir(order.folder.c_str()) != 0)
    return failed(launch_failed, base::format("cannot enter the working directory {}: {}",
                                              order.folder, base::errno_text(errno)));
  ::setenv("PWD", order.folder.c_str(), 1);  // this host's start-up files have set another one
  if (base::read_settings(settings) != AM_OK) return failed(2, base::error_text());
  program found = find_program(order.command.front(), order.search_path.c_str());
  if (!found.problem.empty()) found = find_program(order.command.front());
  return prepare(order.hosts.front().ranks, order.command, choose_bind(order.bind, settings), true,
                 agents_of(order.hosts_below()), found);
}

start_order make_order(const options& requested, std::span<const placed_host> hosts) {
  start_order order;
  order.hosts.assign(hosts.begin(), hosts.end());
  order.rsh = requested.rsh;
  order.prefix = requested.prefix;
  order.bind = requested.bind;
  std::error_code error;
  order.folder = std::filesystem::current_path(error).string();
  const char* path = std::getenv("PATH");
  order.search_path = path != nullptr ? path : "";
  order.command = requested.command;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view text(*each);
    const std::string name(text.substr(0, text.find('=')));
    if (is_of_job(name) || std::ranges::count(requested.exports, name) != 0)
      order.environment.emplace_back(text);
  }
  return order;
}

}  // namespace am::detail::run
