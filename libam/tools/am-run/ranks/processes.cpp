#include <libam/tools/am-run/ranks/processes.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <csignal>

namespace am::detail::run {

std::vector<ended_child> reap_children() {
  std::vector<ended_child> found;
  int wait_status = 0;
  for (pid_t pid; (pid = ::waitpid(-1, &wait_status, WNOHANG)) > 0;)
    found.push_back({pid, wait_status});
  return found;
}

void processes::add(am_rank rank, pid_t pid) {
  all_[ranks_.place_of(rank)] = {pid, true};
  ++alive_;
}

std::vector<ended_rank> processes::take_ended(std::span<const ended_child> children) {
  std::vector<ended_rank> found;
  for (const ended_child& child : children) {
    const auto is_child = [&](const process& one) { return one.alive && one.pid == child.pid; };
    const auto who = std::find_if(all_.begin(), all_.end(), is_child);
    if (who == all_.end()) continue;
    found.push_back({ranks_[static_cast<std::size_t>(who - all_.begin())], child.wait_status});
    who->alive = false;
    --alive_;
  }
  return found;
}

void processes::kill_all(int signal, std::optional<am_rank> spare) const {
  for (std::size_t place = 0; place < all_.size(); ++place)
    if (all_[place].alive && ranks_[place] != spare) ::kill(all_[place].pid, signal);
}

}  // namespace am::detail::run
