#include <libam/tools/am-run/ranks/orphans.hpp>

#include <libam/base/format.hpp>

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

// The list may lack some: the kernel does not stop the children while it is read.
bool has_children() {
  siginfo_t ended{};
  return ::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0;
}

}  // namespace

void kill_orphans(const std::function<bool(pid_t)>& keep) {
  const auto end = std::chrono::steady_clock::now() + orphans_deadline;
  while (std::chrono::steady_clock::now() < end) {
    std::vector<pid_t> orphans = own_children();
    const bool keeps_some = std::erase_if(orphans, keep) != 0;
    if (orphans.empty() && (keeps_some || !has_children())) return;
    for (const pid_t pid : orphans) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, WNOHANG);
    }
    ::usleep(1000);
  }
}

}  // namespace am::detail::run
