#include <libam/base/large_files.hpp>

#include <pthread.h>

#include <cerrno>
#include <ctime>

namespace am::detail::base {
namespace {

sigset_t too_large() noexcept {
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, SIGXFSZ);
  return one;
}

}  // namespace

// The kernel sends it to the thread that has asked for too much, so to block it here is enough.
large_files_are_errors::large_files_are_errors() noexcept {
  const sigset_t one = too_large();
  sigset_t pending;
  sigset_t before;
  ::sigpending(&pending);
  ::pthread_sigmask(SIG_BLOCK, &one, &before);
  is_ours_ = ::sigismember(&before, SIGXFSZ) == 0 && ::sigismember(&pending, SIGXFSZ) == 0;
}

large_files_are_errors::~large_files_are_errors() {
  if (!is_ours_) return;
  const int error = errno;
  const sigset_t one = too_large();
  const timespec now{};
  while (::sigtimedwait(&one, nullptr, &now) < 0 && errno == EINTR) continue;
  ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  errno = error;
}

}  // namespace am::detail::base
