// The end of a job: the remaining ranks get a signal, then are killed; their output is passed on to
// the last byte.
#include <libam/base/format.hpp>
#include <libam/tools/am-run/job.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <vector>

namespace am::detail::run {
namespace {

using namespace std::chrono_literals;

// Long enough for a very busy machine; only a process that cannot be killed takes all of it.
constexpr auto orphans_deadline = 2s;
constexpr auto silence_deadline = 1s;

std::vector<pid_t> own_children() {
  std::ifstream list(base::format("/proc/self/task/{}/children", ::getpid()));
  std::vector<pid_t> children;
  for (pid_t pid = 0; list >> pid;) children.push_back(pid);
  return children;
}

}  // namespace

void job::end_others(int signal, std::chrono::milliseconds grace, bool from_terminal,
                     std::optional<am_rank> spare) {
  ending_ = true;
  hosts_.end_ranks(signal, from_terminal, spare);
  kill_at_ = clock::now() + grace;
}

void job::kill_orphans() {
  const auto end = clock::now() + orphans_deadline;
  while (::waitpid(-1, nullptr, WNOHANG) >= 0 && clock::now() < end) {
    for (const pid_t pid : own_children()) ::kill(pid, SIGKILL);
    ::usleep(1000);
  }
}

void job::drain_output() {
  // A slow reader may take any time; a writer that could not be killed may not.
  auto end = clock::now() + silence_deadline;
  while (!stop_now_ && !(output_.done() && errors_.done())) {
    loop_.run_once(20);
    if (output_.congested() || errors_.congested()) end = clock::now() + silence_deadline;
    if (clock::now() > end) break;
  }
  output_.finish();
  errors_.finish();
  while (!stop_now_ && (output_.congested() || errors_.congested())) loop_.run_once(-1);
  if (output_.congested()) (void)verdict_.record_failure(1, {});
}

}  // namespace am::detail::run
