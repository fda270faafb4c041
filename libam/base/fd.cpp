#include <libam/base/fd.hpp>

#include <fcntl.h>

#include <cerrno>

namespace am::detail::base {

int fd::moved_up(int number) noexcept {
  const int higher = ::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int why = errno;
  ::close(number);
  errno = why;
  return higher;
}

}  // namespace am::detail::base
