#include <libam/base/standard_stream_guard.hpp>

#include <fcntl.h>
#include <unistd.h>

namespace am::detail::base {

// Reads and writes of an O_PATH descriptor fail as if it were closed.
standard_stream_guard::standard_stream_guard() noexcept {
  int number = ::open("/", O_PATH | O_CLOEXEC);
  for (; number >= 0 && number <= STDERR_FILENO; number = ::open("/", O_PATH | O_CLOEXEC))
    occupied_[static_cast<std::size_t>(number)] = true;
  if (number >= 0) ::close(number);
}

// Does not close a stream that the program has opened meanwhile.
standard_stream_guard::~standard_stream_guard() {
  for (int stream = 0; stream <= STDERR_FILENO; ++stream) {
    if (!occupied_[static_cast<std::size_t>(stream)]) continue;
    const int flags = ::fcntl(stream, F_GETFL);
    if (flags >= 0 && (flags & O_PATH) != 0) ::close(stream);
  }
}

}  // namespace am::detail::base
