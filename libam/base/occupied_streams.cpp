#include <libam/base/occupied_streams.hpp>

#include <fcntl.h>
#include <unistd.h>

namespace am::detail::base {

// To write to such a descriptor, or to read from it, fails as if it were closed still.
occupied_streams::occupied_streams() noexcept {
  int number = ::open("/", O_PATH | O_CLOEXEC);
  for (; number >= 0 && number <= STDERR_FILENO; number = ::open("/", O_PATH | O_CLOEXEC))
    here_[static_cast<std::size_t>(number)] = true;
  if (number >= 0) ::close(number);
}

// But those that the program has opened meanwhile.
occupied_streams::~occupied_streams() {
  for (int stream = 0; stream <= STDERR_FILENO; ++stream) {
    if (!here_[static_cast<std::size_t>(stream)]) continue;
    const int flags = ::fcntl(stream, F_GETFL);
    if (flags >= 0 && (flags & O_PATH) != 0) ::close(stream);
  }
}

}  // namespace am::detail::base
