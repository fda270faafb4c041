// The first failure of a job, which decides what am-run reports and returns.
#pragma once

#include <am/types.h>

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace am::detail::run {

inline constexpr int launch_failed = 125;

// How a process ended, from its wait status: "SIGKILL", "exit status 3".
std::string describe_end(int wait_status);

// Its status in a shell: 128+S if signal S ended it.
int shell_status(int wait_status);

// A rank as messages name it: "rank 3 (pid 4711, host a)".
struct rank_name {
  am_rank rank;
  pid_t pid;
  std::string host;
};

// A rank that is no longer in the job and has not left it.
struct death {
  rank_name name;
  int exit_status;
  std::string how;  // "SIGKILL", "it ended without closing its endpoint"
};
death death_of(const rank_name& name, int wait_status);
death death_without_close(const rank_name& name, std::string_view how);

class verdict {
 public:
  // `reports_all`: later failures have lines, too.
  explicit verdict(bool reports_all) : reports_all_(reports_all) {}

  // Each records a failure unless there is one already, and returns the line to print about it. A
  // later failure is a consequence and has no line, unless it is a death that the others outlive.
  std::optional<std::string> record_death(const death& of, bool others_go_on);
  std::optional<std::string> record_bad_end(const rank_name& name, int wait_status);
  std::optional<std::string> record_unknown_end(const rank_name& name, const std::string& why);
  std::optional<std::string> record_abort(const rank_name& name, int exit_status,
                                          const std::string& line);
  std::optional<std::string> record_failure(int exit_status, const std::string& line);

  // A signal stops am-run: failures after that are its consequences.
  void record_stop(int signal) noexcept { stopped_by_ = signal; }

  [[nodiscard]] int exit_status() const noexcept;

 private:
  bool record(int exit_status);

  const bool reports_all_;
  std::optional<int> status_;
  int stopped_by_ = 0;
};

}  // namespace am::detail::run
