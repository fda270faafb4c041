#include <libam/base/fd.hpp>

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

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

bool wait_ready(int descriptor, short events, std::chrono::steady_clock::time_point end) noexcept {
  pollfd one{descriptor, events, 0};
  for (;;) {
    const int ready = ::poll(&one, 1, milliseconds_until(end));
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) return false;
  }
}

int milliseconds_until(std::chrono::steady_clock::time_point end) noexcept {
  using namespace std::chrono;
  const auto left = ceil<milliseconds>(end - steady_clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
}

void set_close_on_exec(int descriptor) noexcept {
  if (const int flags = ::fcntl(descriptor, F_GETFD); flags >= 0)
    (void)::fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC);
}

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

}  // namespace am::detail::base
