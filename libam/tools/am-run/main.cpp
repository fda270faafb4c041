// am-run: starts a job on this host.
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/base/settings.hpp>
#include <libam/core/ways.hpp>
#include <libam/tools/am-run/binding.hpp>
#include <libam/tools/am-run/check.hpp>
#include <libam/tools/am-run/job.hpp>
#include <libam/tools/am-run/limits.hpp>
#include <libam/tools/am-run/program.hpp>
#include <libam/tools/words.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <exception>

namespace am::detail::run {
namespace {

// A stream that was closed would be opened as something else.
void fill_standard_streams() {
  int opened = 0;
  do {
    opened = ::open("/dev/null", O_RDWR);
  } while (opened >= 0 && opened <= STDERR_FILENO);
  if (opened >= 0) ::close(opened);
}

binding place_ranks(const options& wanted, const base::settings& settings) {
  const std::string& mode = wanted.bind.empty() ? settings.bind : wanted.bind;
  std::vector<unsigned> cpus = cpus_by_core();
  binding places{static_cast<unsigned>(cpus.size()), {}};
  if (mode != "none" && wanted.ranks <= cpus.size()) {
    cpus.resize(wanted.ranks);
    places.bound_to = std::move(cpus);
  } else if (mode == "core") {
    tools::say("am-run", base::format("{} ranks cannot have a core each of the {} here: not bound",
                                      wanted.ranks, cpus.size()));
  }
  return places;
}

// What is wrong before anything is started is one line, not one of each rank.
int start(const options& wanted, const binding& places, const base::settings& settings) {
  const program found = find_program(wanted.command.front());
  if (!found.fault.empty()) {
    tools::say("am-run", base::format("cannot run {}: {}", wanted.command.front(), found.fault));
    return found.status;
  }
  const limit files = descriptors_for(wanted.ranks, wanted.own_pipes());
  if (!files.suffices()) {
    tools::say("am-run",
               base::format("{} ranks need {} descriptors and {} are allowed: raise `ulimit {}`",
                            wanted.ranks, files.needed, files.allowed, files.flag));
    return launch_failed;
  }
  return job(wanted, found.path, places, settings).run();
}

int run_all(int argc, char** argv) {
  fill_standard_streams();
  options wanted;
  if (const auto status = read_options(argc, argv, wanted)) return *status;
  base::settings settings;
  if (base::read_settings(settings) != AM_OK ||
      core::check_names(settings.transport, settings.module_path) != AM_OK) {
    tools::say("am-run", base::error_text());
    return 2;
  }
  base::set_log(settings.log, base::no_rank);
  const binding places = place_ranks(wanted, settings);
  return wanted.check ? check(wanted, places, settings) : start(wanted, places, settings);
}

}  // namespace
}  // namespace am::detail::run

int main(int argc, char** argv) {
  try {
    return am::detail::run::run_all(argc, argv);
  } catch (const std::exception& broken) {
    am::detail::tools::say("am-run", broken.what());
    return am::detail::run::launch_failed;
  }
}
