// Tries what a start needs: the program, memory that can be shared, processes and descriptors. The
// result is am-run's own, so it goes to standard error.
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/shared_memory.hpp>
#include <libam/tools/am-run/check.hpp>
#include <libam/tools/am-run/job/verdict.hpp>
#include <libam/tools/am-run/ranks/limits.hpp>
#include <libam/tools/am-run/ranks/program.hpp>
#include <libam/tools/messages.hpp>

#include <string>

namespace am::detail::run {
namespace {

void report_stage(std::string_view stage, std::string_view result) {
  tools::print_message("am-run", base::format("check: {}: {}", stage, result));
}

bool check_program(const program& found, const std::string& name) {
  report_stage("program",
               found.problem.empty() ? found.path : base::format("{}: {}", name, found.problem));
  return found.problem.empty();
}

bool check_memory(const std::string& folder) {
  constexpr std::size_t try_bytes = 1U << 20;
  base::fd memory;
  base::shared_memory mapped;
  if (base::shared_memory::create(memory, folder) != AM_OK ||
      mapped.map(std::move(memory), try_bytes) != AM_OK || mapped.reserve(0, try_bytes) != AM_OK) {
    report_stage("shared memory", base::error_text());
    return false;
  }
  report_stage("shared memory", "works");
  return true;
}

bool check_limit(const limit& one) {
  report_stage(one.what, one.suffices()
                             ? base::format("{} are needed and allowed", one.needed)
                             : base::format("{} are needed and {} allowed: raise `ulimit {}`",
                                            one.needed, one.allowed, one.flag));
  return one.suffices();
}

}  // namespace

int check(const options& requested, const binding& bindings, const base::settings& settings) {
  const program found = find_program(requested.command.front());
  if (!check_program(found, requested.command.front())) return found.status;
  if (!check_memory(settings.shm_dir)) return launch_failed;
  if (!check_limit(descriptors_for(requested.ranks, requested.captures_output())))
    return launch_failed;
  if (!check_limit(processes_for(requested.ranks))) return launch_failed;
  report_stage("binding", bindings.bound_to.empty()
                              ? "none"
                              : base::format("cpus {}", base::joined(bindings.bound_to, ", ")));
  report_stage("start", base::format("{} ranks on this host", requested.ranks));
  return 0;
}

}  // namespace am::detail::run
