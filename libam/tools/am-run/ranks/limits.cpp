#include <libam/tools/am-run/ranks/limits.hpp>

#include <libam/base/fd.hpp>

#include <algorithm>

namespace am::detail::run {
namespace {

// A join socket, a connection, a lifeline, a process; and two pipes.
constexpr rlim_t for_each_rank = 4;
constexpr rlim_t for_its_output = 2;
// The input, output and errors of the command that reaches it.
constexpr rlim_t for_each_agent = 3;
// The loop, the signals, the memory, and those that are open for a moment only: the far ends that a
// rank is started with, and what a rank that joins sends and receives.
constexpr rlim_t for_all = 16;

rlimit original{};  // of RLIMIT_NOFILE; zeros: not raised

rlim_t allowed(__rlimit_resource_t which) {
  rlimit found{};
  return ::getrlimit(which, &found) == 0 ? found.rlim_max : RLIM_INFINITY;
}

}  // namespace

limit descriptors_for(am_rank ranks, bool captures_output, std::size_t agents) {
  constexpr std::size_t streams = 3;  // at least, where the system lists no descriptors
  const rlim_t each = for_each_rank + (captures_output ? for_its_output : 0);
  const rlim_t open = std::max(base::open_descriptors().size(), streams);
  return {"descriptors", "-n", open + for_all + ranks * each + agents * for_each_agent,
          allowed(RLIMIT_NOFILE)};
}

void raise_descriptors() {
  ::getrlimit(RLIMIT_NOFILE, &original);
  rlimit raised = original;
  raised.rlim_cur = raised.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &raised);
}

void restore_descriptors() {
  if (original.rlim_max != 0) ::setrlimit(RLIMIT_NOFILE, &original);
}

limit processes_for(am_rank ranks) { return {"processes", "-u", ranks, allowed(RLIMIT_NPROC)}; }

}  // namespace am::detail::run
