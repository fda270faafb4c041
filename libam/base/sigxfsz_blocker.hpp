// While libam or a library of others makes files: a file that would be larger than `ulimit -f`
// allows is an ordinary error, and does not end the process by SIGXFSZ.
#pragma once

#include <csignal>

namespace am::detail::base {

class sigxfsz_blocker {
 public:
  sigxfsz_blocker() noexcept;
  ~sigxfsz_blocker();
  sigxfsz_blocker(const sigxfsz_blocker&) = delete;
  sigxfsz_blocker& operator=(const sigxfsz_blocker&) = delete;

 private:
  bool blocked_here_ = false;  // the program has neither blocked the signal nor has it pending
};

}  // namespace am::detail::base
