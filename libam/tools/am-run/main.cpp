// am-run: starts a job, on this host and on others.
#include <libam/base/error.hpp>
#include <libam/base/log.hpp>
#include <libam/base/settings.hpp>
#include <libam/core/known_transports.hpp>
#include <libam/tools/am-run/job/job.hpp>
#include <libam/tools/am-run/job/verdict.hpp>
#include <libam/tools/am-run/ranks/check.hpp>
#include <libam/tools/am-run/ranks/preparation.hpp>
#include <libam/tools/am-run/remote/agent.hpp>
#include <libam/tools/am-run/remote/agent_command.hpp>
#include <libam/tools/am-run/remote/remote_shell.hpp>
#include <libam/tools/messages.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace am::detail::run {
namespace {

// Another file would get the descriptor of a closed stream.
void fill_standard_streams() {
  int opened = 0;
  do {
    opened = ::open("/dev/null", O_RDWR);
  } while (opened >= 0 && opened <= STDERR_FILENO);
  if (opened >= 0) ::close(opened);
}

// An error before the start is reported in one line, not by each rank.
int start(const options& requested, const base::settings& settings) {
  preparation here = prepare(start_here(requested, settings));
  if (!here.message.empty()) tools::print_message("am-run", here.message);
  if (here.problem.empty()) return job(requested, std::move(here.plan), settings).run();
  tools::print_message("am-run", here.problem);
  return here.status;
}

// This host, then all others at once.
int check_start(options requested, const base::settings& settings) {
  const host_start here = start_here(requested, settings);
  const auto print = [](const std::string& line) { tools::print_message("am-run", line); };
  int status = here.ranks.empty() ? 0 : check(here, print);
  std::erase_if(requested.hosts, [](const placed_host& each) { return each.is_local; });
  if (requested.hosts.empty()) return status;
  const int elsewhere = job(requested, {}, settings).run();
  return status != 0 ? status : elsewhere;
}

int run_all(int argc, char** argv) {
  fill_standard_streams();
  if (argc == 2 && std::string_view(argv[1]) == agent_option) return agent().run();
  std::vector<std::string> environment = remote_shell::own_environment();
  options requested;
  if (const auto status = read_options(argc, argv, requested)) return *status;
  if (const auto status = choose_hosts(requested)) return *status;
  requested.original_environment = std::move(environment);
  base::settings settings;
  if (base::read_settings(settings) != AM_OK ||
      core::check_names(settings.transport, settings.module_path) != AM_OK) {
    tools::print_message("am-run", base::error_text());
    return 2;
  }
  base::set_log(settings.log, base::no_rank);
  if (requested.rsh.empty()) requested.rsh = settings.rsh;
  return requested.check ? check_start(requested, settings) : start(requested, settings);
}

}  // namespace
}  // namespace am::detail::run

int main(int argc, char** argv) {
  try {
    return am::detail::run::run_all(argc, argv);
  } catch (const std::exception& broken) {
    am::detail::tools::print_message("am-run", broken.what());
    return am::detail::run::launch_failed;
  }
}
