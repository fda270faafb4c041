// Where AM_DIAL or AM_TRACE is set, every entry of the table of handlers runs its function through
// run() here, which reports it and wraps the return path of its answers. Elsewhere the table has
// the functions themselves, so that no message costs an instruction more.
#pragma once

#include <libam/core/dispatcher.hpp>
#include <libam/seam/message_hooks.hpp>

#include <vector>

namespace am::detail::core {

class hooked_handlers {
 public:
  // Both outlive it.
  hooked_handlers(dispatcher& messages, seam::handler_hooks& hooks) noexcept
      : messages_(messages), hooks_(hooks) {}
  // Before the table is installed.
  void hook(std::vector<dispatcher::entry>& table);

 private:
  static am_handler_fn run;  // in every entry
  void wrap_answers() noexcept;

  dispatcher& messages_;
  seam::handler_hooks& hooks_;
  std::vector<am_handler_fn*> functions_;  // of the handlers, by number
  seam::return_path* path_ = nullptr;      // that of hooks_
  bool in_handler_ = false;
};

}  // namespace am::detail::core
