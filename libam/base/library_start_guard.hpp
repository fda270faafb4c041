// Guards the program's process while a library of others starts in it: the library gets no
// descriptor of a closed standard stream, and no signal for a file that is too large. The
// destructor restores the handlers of signals, and makes the new descriptors close-on-exec.
#pragma once

#include <libam/base/sigxfsz_blocker.hpp>
#include <libam/base/standard_stream_guard.hpp>

#include <array>
#include <csignal>
#include <vector>

namespace am::detail::base {

class library_start_guard {
 public:
  library_start_guard();
  ~library_start_guard();
  library_start_guard(const library_start_guard&) = delete;
  library_start_guard& operator=(const library_start_guard&) = delete;

  // The descriptors that are new.
  [[nodiscard]] std::vector<int> opened() const;

 private:
  std::array<struct sigaction, NSIG> saved_actions_{};  // by number
  standard_stream_guard streams_;
  sigxfsz_blocker files_;
  std::vector<int> open_before_;
};

}  // namespace am::detail::base
