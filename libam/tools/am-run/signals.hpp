// Signals to am-run, read from a descriptor instead of interrupting it.
#pragma once

#include <libam/base/fd.hpp>

#include <csignal>
#include <optional>

namespace am::detail::run {

struct signal_note {
  int number;
  bool from_terminal;  // the whole foreground group has got it, the ranks too
};

class signals {
 public:
  // Those that ask am-run to end, those that are passed on and SIGTSTP (unless whoever started us
  // wants them ignored), and SIGCHLD. A SIGPIPE stays blocked: writing says it.
  signals();
  // Back to how the process was started, so that a last long write can be interrupted.
  ~signals();
  signals(const signals&) = delete;
  signals& operator=(const signals&) = delete;

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  [[nodiscard]] std::optional<signal_note> next();
  // Does what this signal does to a process that does not watch it: for SIGTSTP, returns when
  // somebody has let am-run go on.
  static void obey(int number);
  // The mask am-run was started with: what ranks get.
  [[nodiscard]] const sigset_t& original_mask() const noexcept { return original_; }

 private:
  sigset_t original_{};
  base::fd fd_;
};

}  // namespace am::detail::run
