#include <transports/tcp/output.hpp>

#include <algorithm>
#include <array>
#include <cerrno>

namespace am::detail::tcp {

// What has gone is dropped when it is more than what stays, so that little is moved.
void output::keep(std::span<const std::byte> frame) {
  if (gone_ > bytes()) {
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(gone_));
    gone_ = 0;
  }
  kept_.insert(kept_.end(), frame.begin(), frame.end());
}

int output::send(line& to, std::span<const std::byte> frame) {
  while (!empty() || !frame.empty()) {
    std::array<iovec, 2> parts{iovec{kept_.data() + gone_, bytes()},
                               iovec{const_cast<std::byte*>(frame.data()), frame.size()}};
    const ssize_t sent = to.send(parts);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) {
      const int error = errno;
      keep(frame);
      const bool passes = error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS;
      return passes || error == ENOMEM ? 0 : error;
    }
    const std::size_t of_kept = std::min(static_cast<std::size_t>(sent), bytes());
    gone_ += of_kept;
    frame = frame.subspan(static_cast<std::size_t>(sent) - of_kept);
    if (empty()) {
      kept_.clear();
      gone_ = 0;
    }
  }
  return 0;
}

}  // namespace am::detail::tcp
