#include <libam/base/fd.hpp>

#include <fcntl.h>
#include <poll.h>

#include <cerrno>

namespace am::detail::base {

int fd::dup_above_stderr(int number) noexcept {
  const int higher = ::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int why = errno;
  ::close(number);
  errno = why;
  return higher;
}

short ready_now(int descriptor, short events) noexcept {
  pollfd one{descriptor, events, 0};
  while (::poll(&one, 1, 0) < 0)
    if (errno != EINTR) return 0;
  return one.revents;
}

}  // namespace am::detail::base
