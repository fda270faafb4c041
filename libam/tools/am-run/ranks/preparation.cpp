#include <libam/tools/am-run/ranks/preparation.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/tools/am-run/job/verdict.hpp>
#include <libam/tools/am-run/ranks/limits.hpp>

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

preparation prepare(const host_start& what) {
  const program& found = what.found;
  if (!found.problem.empty())
    return failed(found.status,
                  base::format("cannot run {}: {}", what.command.front(), found.problem));
  const limit files = descriptors_for(what.ranks.size(), what.captures_output, what.agents);
  if (!files.suffices())
    return failed(
        launch_failed,
        base::format("{}{} ranks need {} descriptors and {} are allowed: raise `ulimit {}`",
                     what.agents != 0 ? base::format("{} agents and ", what.agents) : "",
                     what.ranks.size(), files.needed, files.allowed, files.flag));
  preparation made;
  raise_descriptors();
  made.plan.ranks = what.ranks;
  made.plan.path = found.path;
  made.plan.command = what.command;
  made.plan.captures_output = what.captures_output;
  made.plan.bindings = bind_ranks(what.ranks.size(), what.bind, made.message);
  return made;
}

host_start start_here(const options& requested, const base::settings& settings) {
  host_start what;
  const auto local = std::ranges::find_if(requested.hosts, &placed_host::is_local);
  if (local != requested.hosts.end()) {
    what.ranks = local->ranks;
    what.found = find_program(requested.command.front());
  }
  what.command = requested.command;
  what.bind = choose_bind(requested.bind, settings);
  what.captures_output = requested.captures_output();
  what.agents = agents_of(requested.hosts);
  what.shm_folder = settings.shm_dir;
  return what;
}

preparation enter_order(const start_order& order, base::settings& settings) {
  set_environment(order.environment);
  if (::chdir(order.folder.c_str()) != 0)
    return failed(launch_failed, base::format("cannot enter the working directory {}: {}",
                                              order.folder, base::errno_text(errno)));
  ::setenv("PWD", order.folder.c_str(), 1);  // this host's start-up files have set another one
  if (base::read_settings(settings) != AM_OK) return failed(2, base::error_text());
  return {};
}

// A name without a slash is looked for as on am-run's host, and then in the PATH of this one.
host_start start_of(const start_order& order, const base::settings& settings) {
  host_start what;
  what.ranks = order.hosts.front().ranks;
  what.command = order.command;
  what.found = find_program(order.command.front(), order.search_path.c_str());
  if (!what.found.problem.empty()) what.found = find_program(order.command.front());
  what.bind = choose_bind(order.bind, settings);
  what.agents = agents_of(order.hosts_below());
  what.shm_folder = settings.shm_dir;
  return what;
}

start_order make_order(const options& requested, std::span<const placed_host> hosts) {
  start_order order;
  order.hosts.assign(hosts.begin(), hosts.end());
  order.rsh = requested.rsh;
  order.prefix = requested.prefix;
  order.bind = requested.bind;
  order.check = requested.check ? 1 : 0;
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
