#include <libam/tools/am-run/processes.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <csignal>

namespace am::detail::run {

void processes::add(am_rank rank, pid_t pid) {
  all_[rank].pid = pid;
  all_[rank].alive = true;
  ++alive_;
}

std::vector<ended_process> processes::reap() {
  std::vector<ended_process> found;
  int wait_status = 0;
  for (pid_t pid; (pid = ::waitpid(-1, &wait_status, WNOHANG)) > 0;) {
    const auto who = std::find_if(all_.begin(), all_.end(),
                                  [pid](const process& each) { return each.pid == pid; });
    if (who == all_.end()) continue;  // an orphan
    found.push_back({static_cast<am_rank>(who - all_.begin()), wait_status});
    who->alive = false;
    --alive_;
  }
  return found;
}

void processes::kill_all(int signal, std::optional<am_rank> spare) const {
  for (am_rank rank = 0; rank < ranks(); ++rank)
    if (all_[rank].alive && rank != spare) ::kill(all_[rank].pid, signal);
}

}  // namespace am::detail::run
