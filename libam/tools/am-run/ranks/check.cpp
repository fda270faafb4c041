// Tries what a start needs: the program, memory that can be shared, processes and descriptors.
#include <libam/tools/am-run/ranks/check.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/shared_memory.hpp>
#include <libam/tools/am-run/job/verdict.hpp>
#include <libam/tools/am-run/ranks/binding.hpp>
#include <libam/tools/am-run/ranks/limits.hpp>

#include <utility>

namespace am::detail::run {
namespace {

class stages {
 public:
  explicit stages(const std::function<void(std::string)>& report) : report_(report) {}
  void report(std::string_view stage, std::string_view result) const {
    report_(base::format("check: {}: {}", stage, result));
  }

  [[nodiscard]] bool try_memory(const std::string& folder) const {
    constexpr std::size_t try_bytes = 1U << 20;
    base::fd memory;
    base::shared_memory mapped;
    const bool works = base::shared_memory::create(memory, folder) == AM_OK &&
                       mapped.map(std::move(memory), try_bytes) == AM_OK &&
                       mapped.reserve(0, try_bytes) == AM_OK;
    report("shared memory", works ? "works" : base::error_text());
    return works;
  }

  [[nodiscard]] bool compare(const limit& one) const {
    report(one.what, one.suffices()
                         ? base::format("{} are needed and allowed", one.needed)
                         : base::format("{} are needed and {} allowed: raise `ulimit {}`",
                                        one.needed, one.allowed, one.flag));
    return one.suffices();
  }

 private:
  const std::function<void(std::string)>& report_;
};

}  // namespace

int check(const host_start& what, const std::function<void(std::string)>& report) {
  const stages to(report);
  const program& found = what.found;
  to.report("program", found.problem.empty()
                           ? found.path
                           : base::format("{}: {}", what.command.front(), found.problem));
  if (!found.problem.empty()) return found.status;
  if (!to.try_memory(what.shm_folder)) return launch_failed;
  const am_rank ranks = what.ranks.size();
  if (!to.compare(descriptors_for(ranks, what.captures_output, what.agents))) return launch_failed;
  if (!to.compare(processes_for(ranks))) return launch_failed;
  std::string message;
  const binding bindings = bind_ranks(ranks, what.bind, message);
  if (!message.empty()) report(std::move(message));
  to.report("binding", bindings.bound_to.empty()
                           ? "none"
                           : base::format("cpus {}", base::joined(bindings.bound_to, ", ")));
  to.report("start", base::format("{} ranks on this host", ranks));
  return 0;
}

}  // namespace am::detail::run
