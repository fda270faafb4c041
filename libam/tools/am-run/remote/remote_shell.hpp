// The command that runs am-run on another host: AM_RSH, the host, and the words of am-run. Its
// input and output carry the frames; what it writes on standard error are lines for people.
#pragma once

#include <libam/base/fd.hpp>
#include <libam/tools/am-run/streams/event_loop.hpp>

#include <sys/types.h>

#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace am::detail::run {

class remote_shell {
 public:
  remote_shell(event_loop& loop, std::function<void(std::string line)> on_line)
      : loop_(loop), on_line_(std::move(on_line)) {}
  ~remote_shell();
  remote_shell(const remote_shell&) = delete;
  remote_shell& operator=(const remote_shell&) = delete;

  // NAME=VALUE of each variable that this process has now.
  static std::vector<std::string> own_environment();

  // In a session of its own, so that the signals and questions of the terminal do not reach it.
  // False with errno.
  bool start(std::vector<std::string> command, std::vector<std::string> environment,
             const sigset_t& signal_mask);

  // Valid after start(), once.
  [[nodiscard]] base::fd take_output() { return std::move(output_); }
  [[nodiscard]] base::fd take_input() { return std::move(input_); }

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  [[nodiscard]] bool has_ended() const noexcept { return wait_status_.has_value(); }
  void note_end(int wait_status);
  // To all processes of its group.
  void signal(int number) const;
  void kill() { signal(SIGKILL); }

  // "ssh ended with exit status 255"
  [[nodiscard]] std::string describe_end() const;
  // Did the shell there find no program of this name?
  [[nodiscard]] bool found_nothing() const noexcept;

 private:
  void read_errors();
  void pass_lines(bool all);

  event_loop& loop_;
  std::function<void(std::string line)> on_line_;
  std::string name_;
  pid_t pid_ = -1;
  std::optional<int> wait_status_;
  base::fd input_;
  base::fd output_;
  base::fd errors_;
  std::string buffered_;
};

// The words of a command line that a shell on the other host reads again.
std::string quote_for_shell(const std::string& word);

}  // namespace am::detail::run
