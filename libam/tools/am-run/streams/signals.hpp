// Signals to am-run, which it reads from a descriptor.
#pragma once

#include <libam/base/fd.hpp>

#include <csignal>
#include <optional>

namespace am::detail::run {

struct received_signal {
  int number;
  bool from_terminal;  // sent to the whole foreground group, and so to the ranks, too
};

class signals {
 public:
  // Those that end am-run, those that are passed on, and SIGTSTP, unless am-run was started with
  // them ignored; and SIGCHLD. SIGPIPE and SIGTTIN stay blocked: write() and read() report the
  // error.
  signals();
  // Restores the original mask, so that a last long write can be interrupted.
  ~signals();
  signals(const signals&) = delete;
  signals& operator=(const signals&) = delete;

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  [[nodiscard]] std::optional<received_signal> next();
  // Does what this signal does to a process that does not handle it: for SIGTSTP, returns when
  // am-run is continued.
  static void apply_default_action(int number);
  // Takes back the SIGPIPE of a write that has failed: it would end am-run when the mask is
  // restored, as it should after keep_broken_pipe(), for the output of the ranks.
  static void drop_broken_pipe();
  static void keep_broken_pipe();
  // The mask with which am-run was started, and which ranks get.
  [[nodiscard]] const sigset_t& original_mask() const noexcept { return original_; }

 private:
  sigset_t original_{};
  base::fd fd_;
};

}  // namespace am::detail::run
