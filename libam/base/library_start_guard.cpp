#include <libam/base/library_start_guard.hpp>

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>

namespace am::detail::base {

namespace {

std::vector<int> open_descriptors() {
  std::vector<int> open;
  std::error_code none;
  for (std::filesystem::directory_iterator at("/proc/self/fd", none), end; !none && at != end;
       at.increment(none)) {
    const std::string name = at->path().filename();
    int number = -1;
    if (std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc{})
      open.push_back(number);
  }
  // Without the one by which the folder was read.
  std::erase_if(open, [](int one) { return ::fcntl(one, F_GETFD) < 0; });
  return open;
}

}  // namespace

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
