// UCX's log, redirected: its lines go to libam's log, or become the reason why something could not
// be done. libam reports failures itself and knows which are none, peers that leave; so UCX's lines
// about them are info. Where UCX_LOG_LEVEL or UCX_LOG_FILE is set, UCX's log stays as it is.
#pragma once

#include <string>

namespace am::detail::ucx {

// Once in a process.
void redirect_ucx_log() noexcept;

// While it lives UCX's lines are kept for reason(), not logged. One at a time.
class log_capture {
 public:
  log_capture() noexcept;
  ~log_capture();
  log_capture(const log_capture&) = delete;
  log_capture& operator=(const log_capture&) = delete;

  // `call`, with UCX's last line if there was one.
  [[nodiscard]] std::string reason(std::string call) const;
  // After success: a line of UCX's is logged as a warning.
  void warn() const noexcept;
};

}  // namespace am::detail::ucx
