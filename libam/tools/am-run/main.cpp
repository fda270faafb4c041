// am-run: starts a job on this host.
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/base/settings.hpp>
#include <libam/core/known_transports.hpp>
#include <libam/tools/am-run/binding.hpp>
#include <libam/tools/am-run/check.hpp>
#include <libam/tools/am-run/job.hpp>
#include <libam/tools/am-run/limits.hpp>
#include <libam/tools/am-run/program.hpp>
#include <libam/tools/messages.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <exception>

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

binding place_ranks(const options& requested, const base::settings& settings) {
  const std::string& mode = requested.bind.empty() ? settings.bind : requested.bind;
  std::vector<unsigned> cpus = cpus_by_core();
  binding bindings{static_cast<unsigned>(cpus.size()), {}};
  if (mode != "none" && requested.ranks <= cpus.size()) {
    cpus.resize(requested.ranks);
    bindings.bound_to = std::move(cpus);
  } else if (mode == "core") {
    tools::print_message(
        "am-run",
        base::format("{} ranks cannot each have one of the {} CPUs here: no rank is bound",
                     requested.ranks, cpus.size()));
  }
  return bindings;
}

// An error before the start is reported in one line, not by each rank.
int start(const options& requested, const binding& bindings, const base::settings& settings) {
  const program found = find_program(requested.command.front());
  if (!found.problem.empty()) {
    tools::print_message(
        "am-run", base::format("cannot run {}: {}", requested.command.front(), found.problem));
    return found.status;
  }
  const limit files = descriptors_for(requested.ranks, requested.captures_output());
  if (!files.suffices()) {
    tools::print_message(
        "am-run", base::format("{} ranks need {} descriptors and {} are allowed: raise `ulimit {}`",
                               requested.ranks, files.needed, files.allowed, files.flag));
    return launch_failed;
  }
  return job(requested, found.path, bindings, settings).run();
}

int run_all(int argc, char** argv) {
  fill_standard_streams();
  options requested;
  if (const auto status = read_options(argc, argv, requested)) return *status;
  base::settings settings;
  if (base::read_settings(settings) != AM_OK ||
      core::check_names(settings.transport, settings.module_path) != AM_OK) {
    tools::print_message("am-run", base::error_text());
    return 2;
  }
  base::set_log(settings.log, base::no_rank);
  const binding bindings = place_ranks(requested, settings);
  return requested.check ? check(requested, bindings, settings)
                         : start(requested, bindings, settings);
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
