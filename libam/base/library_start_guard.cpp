#include <libam/base/library_start_guard.hpp>

#include <libam/base/fd.hpp>

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
  for (const int one : opened()) set_close_on_exec(one);
}

std::vector<int> library_start_guard::opened() const {
  std::vector<int> open = open_descriptors();
  std::erase_if(
      open, [&](int one) { return std::ranges::find(open_before_, one) != open_before_.end(); });
  return open;
}

}  // namespace am::detail::base
