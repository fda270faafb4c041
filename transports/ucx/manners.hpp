// UCX as a guest in somebody's process: what it has to say comes in libam's log, or as the reason
// why something could not be done. Of failures libam tells itself and knows which are none, peers
// that leave; so what UCX says of them is info. Whoever has set UCX_LOG_LEVEL or UCX_LOG_FILE has
// its lines there.
#pragma once

#include <string>

namespace am::detail::ucx {

// Once in a process.
void teach_manners() noexcept;

// While it lives UCX's lines are kept for why(), not logged. One at a time.
class listening {
 public:
  listening() noexcept;
  ~listening();
  listening(const listening&) = delete;
  listening& operator=(const listening&) = delete;

  // `call` and what it has said, and UCX's last line if there was one.
  [[nodiscard]] std::string why(std::string call) const;
  // All is well, and if UCX has said something nonetheless, that is a warning.
  void warn() const noexcept;
};

}  // namespace am::detail::ucx
