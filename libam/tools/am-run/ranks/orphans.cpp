#include <libam/base/format.hpp>
#include <libam/tools/am-run/ranks/orphans.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <vector>

namespace am::detail::run {
namespace {

using namespace std::chrono_literals;

// Long enough for a very busy machine; only a process that cannot be killed takes all of it.
constexpr auto orphans_deadline = 2s;

std::vector<pid_t> own_children() {
  std::ifstream list(base::format("/proc/self/task/{}/children", ::getpid()));
  std::vector<pid_t> children;
  for (pid_t pid = 0; list >> pid;) children.push_back(pid);
  return children;
}

}  // namespace

void kill_orphans(const std::function<bool(pid_t)>& keep) {
  const auto end = std::chrono::steady_clock::now() + orphans_deadline;
  while (std::chrono::steady_clock::now() < end) {
    std::vector<pid_t> orphans = own_children();
    std::erase_if(orphans, keep);
    if (orphans.empty()) return;
    for (const pid_t pid : orphans) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, WNOHANG);
    }
    ::usleep(1000);
  }
}

}  // namespace am::detail::run
