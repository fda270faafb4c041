#include <libam/base/ready_now.hpp>

#include <poll.h>

#include <cerrno>

namespace am::detail::base {

short ready_now(int descriptor, short events) noexcept {
  pollfd one{descriptor, events, 0};
  while (::poll(&one, 1, 0) < 0)
    if (errno != EINTR) return 0;
  return one.revents;
}

}  // namespace am::detail::base
