#include <libam/base/fd.hpp>
#include <libam/base/library_start_guard.hpp>

#include <fcntl.h>

#include <algorithm>

namespace am::detail::base {

library_start_guard::library_start_guard() : open_before_(open_descriptors()) {
  for (int signal = 1; signal < NSIG; ++signal)
    (void)::sigaction(signal, nullptr, &saved_actions_[signal]);
}

library_start_guard::~library_start_guard() {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 &&
        now.sa_sigaction != saved_actions_[signal].sa_sigaction)
      (void)::sigaction(signal, &saved_actions_[signal], nullptr);
  }
  for (const int one : open_descriptors()) {
    if (std::ranges::find(open_before_, one) != open_before_.end()) continue;
    if (const int flags = ::fcntl(one, F_GETFD); flags >= 0)
      (void)::fcntl(one, F_SETFD, flags | FD_CLOEXEC);
  }
}

}  // namespace am::detail::base
