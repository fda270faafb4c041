// Who failed first, and what am-run therefore says and returns.
#pragma once

#include <am/types.h>

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace am::detail::run {

inline constexpr int launch_failed = 125;

// How a process ended, from what waitpid says: "SIGKILL", "exit status 3".
std::string describe_end(int wait_status);

// What a shell would have as its status: 128+S if a signal ended it.
int shell_status(int wait_status);

// A rank that is in the job no more and has not left it.
struct death {
  am_rank rank;
  pid_t pid;
  int exit_status;
  std::string how;  // "SIGKILL", "left: it ended without closing its endpoint"
};
death death_of(am_rank rank, pid_t pid, int wait_status);
death death_by_leaving(am_rank rank, pid_t pid, std::string_view how);

class verdict {
 public:
  // Each records a failure unless there is one already, and gives the line to say about it. A later
  // one is a consequence and has none, but for deaths that the others outlive.
  std::optional<std::string> died(const death& of, bool others_go_on);
  std::optional<std::string> ended_badly(am_rank rank, pid_t pid, int wait_status);
  std::optional<std::string> aborted(am_rank rank, pid_t pid, int exit_status,
                                     const std::string& line);
  std::optional<std::string> failed(int exit_status, const std::string& line);

  // Somebody has asked am-run to stop: a failure after that is nobody's fault.
  void stopped(int signal) noexcept { stopped_by_ = signal; }

  [[nodiscard]] bool failure() const noexcept { return status_.has_value(); }
  [[nodiscard]] int exit_status() const noexcept;

 private:
  bool record(int exit_status);

  std::optional<int> status_;
  int stopped_by_ = 0;
};

}  // namespace am::detail::run
