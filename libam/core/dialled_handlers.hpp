// Where AM_DIAL is set, every entry of the table of handlers runs its function through run() here,
// which spends the overhead of receiving and stamps the answers. Elsewhere the table has the
// functions themselves, so that no message costs an instruction more.
#pragma once

#include <libam/core/dispatcher.hpp>
#include <libam/seam/message_dials.hpp>

#include <vector>

namespace am::detail::core {

class dialled_handlers {
 public:
  // Both outlive it.
  dialled_handlers(dispatcher& messages, seam::message_dials& dials) noexcept
      : messages_(messages), dials_(dials) {}
  // Before the table is installed.
  void dial(std::vector<dispatcher::entry>& table);

 private:
  static am_handler_fn run;  // in every entry
  void stamp_answers() noexcept;

  dispatcher& messages_;
  seam::message_dials& dials_;
  std::vector<am_handler_fn*> functions_;  // of the handlers, by number
  seam::return_path* path_ = nullptr;      // that of dials_
  bool in_handler_ = false;
};

}  // namespace am::detail::core
