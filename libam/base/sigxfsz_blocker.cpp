#include <libam/base/sigxfsz_blocker.hpp>

#include <pthread.h>

#include <cerrno>
#include <ctime>

namespace am::detail::base {
namespace {

sigset_t sigxfsz_set() noexcept {
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, SIGXFSZ);
  return one;
}

}  // namespace

// The kernel sends SIGXFSZ to the thread that makes the call, so it suffices to block it there.
sigxfsz_blocker::sigxfsz_blocker() noexcept {
  const sigset_t one = sigxfsz_set();
  sigset_t pending;
  sigset_t before;
  ::sigpending(&pending);
  ::pthread_sigmask(SIG_BLOCK, &one, &before);
  blocked_here_ = ::sigismember(&before, SIGXFSZ) == 0 && ::sigismember(&pending, SIGXFSZ) == 0;
}

sigxfsz_blocker::~sigxfsz_blocker() {
  if (!blocked_here_) return;
  const int error = errno;
  const sigset_t one = sigxfsz_set();
  const timespec now{};
  while (::sigtimedwait(&one, nullptr, &now) < 0 && errno == EINTR) continue;
  ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  errno = error;
}

}  // namespace am::detail::base
