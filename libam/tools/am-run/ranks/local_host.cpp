#include <libam/tools/am-run/ranks/local_host.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/process_state.hpp>
#include <libam/tools/am-run/job/verdict.hpp>
#include <libam/tools/am-run/ranks/program.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>
#include <vector>

namespace am::detail::run {

local_host::local_host(std::string name, event_loop& loop, host_events& events, launch_plan plan,
                       output_taker take_output, const std::string& folder)
    : name_(std::move(name)),
      events_(events),
      ranks_(plan.ranks),
      program_(plan.command.front()),
      path_(plan.path),
      take_output_(std::move(take_output)),
      server_(loop, events, ranks_, plan.bindings, folder),
      launcher_(std::move(plan)),
      processes_(ranks_) {}

void local_host::start(const std::function<void()>& between) {
  for (const am_rank rank : ranks_) {
    between();
    if (ending_) return;
    std::string why;
    if (start_rank(rank, why)) continue;
    events_.on_failed(launch_failed, std::move(why));
    return end_ranks(SIGKILL, {});
  }
}

bool local_host::start_rank(am_rank rank, std::string& why) {
  base::fd join_socket = server_.open_join_socket(rank);
  if (!join_socket.valid()) {
    why = base::format("cannot start rank {} of {}: socketpair: {}", rank, ranks_.job_size(),
                       base::errno_text(errno));
    return false;
  }
  auto made = launcher_.start(rank, std::move(join_socket), why);
  if (!made) return false;
  processes_.add(rank, made->pid);
  events_.on_started(rank, made->pid);
  if (made->output.valid()) take_output_(rank, std::move(made->output), std::move(made->errors));
  return true;
}

void local_host::end_ranks(int signal, std::optional<am_rank> spare) {
  ending_ = true;
  if (signal != 0) processes_.kill_all(signal, spare);
}

void local_host::explain(am_rank rank) {
  events_.on_explained(rank, base::is_gone(server_.joined_pid(rank)));
}

// Several may have ended since the last call, in an unknown order. One that a signal killed is then
// taken for the cause, and those that returned a status for its consequences.
void local_host::on_children_ended(std::span<const ended_child> children) {
  std::vector<ended_rank> found = processes_.take_ended(children);
  if (const auto failed_exec = launcher_.failure()) {
    const program what = could_not_run(path_, failed_exec->error);
    events_.on_failed(what.status, base::format("cannot run {}: {}", program_, what.problem));
  }
  std::stable_partition(found.begin(), found.end(),
                        [](const ended_rank& each) { return WIFSIGNALED(each.wait_status); });
  for (const ended_rank& each : found) {
    server_.read_pending(each.rank);
    events_.on_ended(each.rank, each.wait_status);
  }
}

}  // namespace am::detail::run
