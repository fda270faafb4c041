#include <transports/tcp/link/records.hpp>

#include <libam/base/checked_copy.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace am::detail::tcp {

// A position in parts of memory, which moves from the first byte to the last.
class iovec_cursor {
 public:
  iovec_cursor(std::span<const iovec> parts, foreign_parts foreign) noexcept
      : parts_(parts), foreign_(foreign) {
    skip_empty();
  }

  [[nodiscard]] bool ended() const noexcept { return parts_.empty(); }

  // Copies the next bytes, at most `most` and of one part, with copy(where, bytes, foreign).
  // Returns their number; 0: nothing is mapped there.
  template <class Copy>
  std::size_t copy_next(std::size_t most, Copy&& copy) noexcept {
    const std::size_t bytes = std::min(most, parts_.front().iov_len - at_);
    auto* const where = static_cast<std::byte*>(parts_.front().iov_base) + at_;
    if (!copy(where, bytes, (foreign_ & 1) != 0)) return 0;
    at_ += bytes;
    skip_empty();
    return bytes;
  }

 private:
  void skip_empty() noexcept {
    while (!parts_.empty() && at_ == parts_.front().iov_len) {
      parts_ = parts_.subspan(1);
      foreign_ >>= 1;
      at_ = 0;
    }
  }

  std::span<const iovec> parts_;
  foreign_parts foreign_;
  std::size_t at_ = 0;  // in the first of them
};

namespace {

bool copy(std::byte* to, const std::byte* from, std::size_t bytes, bool foreign) noexcept {
  if (foreign) return base::copy_checked(to, from, bytes) == base::copy_status::all;
  std::memcpy(to, from, bytes);
  return true;
}

ssize_t fails_with(int error) noexcept {
  errno = error;
  return -1;
}

}  // namespace

bool is_temporary(int error) noexcept {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR || error == ENOBUFS ||
         error == ENOMEM;
}

// ---- out ----------------------------------------------------------------------------------------

outgoing_records::outgoing_records(const key& one)
    : cipher_(one), buffer_(std::make_unique_for_overwrite<std::byte[]>(capacity)) {}

// True: nothing is buffered any more. False with errno: the socket takes no more now; or it never
// will again, and then nothing is buffered either.
bool outgoing_records::flush(int socket) noexcept {
  while (has_unsent()) {
    const ssize_t sent =
        ::send(socket, buffer_.get() + sent_, sealed_ - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) {
      if (!is_temporary(errno)) sent_ = sealed_;
      return false;
    }
    sent_ += static_cast<std::size_t>(sent);
  }
  return true;
}

// Makes the next record of the bytes at `from`. Returns their number; a record is smaller than the
// largest only at the end of the parts or before one that is not mapped.
std::size_t outgoing_records::seal(iovec_cursor& from) noexcept {
  std::size_t filled = 0;
  while (!from.ended() && filled < most_plain_bytes) {
    std::byte* const to = buffer_.get() + record_head_bytes + filled;
    const auto in = [to](const std::byte* part, std::size_t bytes, bool is_foreign) {
      return copy(to, part, bytes, is_foreign);
    };
    const std::size_t copied = from.copy_next(most_plain_bytes - filled, in);
    if (copied == 0) break;
    filled += copied;
  }
  if (filled == 0) return 0;
  sealed_ = cipher_.seal(buffer_.get(), filled);
  sent_ = 0;
  return filled;
}

// Each record is sent before the next one is sealed, so the other end opens it meanwhile.
ssize_t outgoing_records::send(int socket, std::span<const iovec> parts,
                               foreign_parts foreign) noexcept {
  if (!flush(socket)) return -1;
  std::size_t taken = 0;
  for (iovec_cursor from(parts, foreign); !from.ended();) {
    const std::size_t sealed = seal(from);
    if (sealed == 0 && taken == 0) return fails_with(EFAULT);
    if (sealed == 0) break;
    taken += sealed;
    if (flush(socket)) continue;
    if (!has_unsent()) return -1;
    break;
  }
  return static_cast<ssize_t>(taken);
}

// ---- in -----------------------------------------------------------------------------------------

incoming_records::incoming_records(const key& one)
    : cipher_(one), buffer_(std::make_unique_for_overwrite<std::byte[]>(capacity)) {}

// True also for one with an impossible length, which has to be reported.
bool incoming_records::has_record() const noexcept {
  if (end_ - begin_ < record_head_bytes) return false;
  const std::byte* const first = buffer_.get() + begin_;
  const auto length =
      record_length(std::span<const std::byte, record_head_bytes>(first, record_head_bytes));
  return !length || *length <= end_ - begin_;
}

// Opens the first of the records in buffer_. False: it is invalid.
bool incoming_records::open_record() noexcept {
  const std::span<std::byte> all(buffer_.get() + begin_, end_ - begin_);
  const auto length = record_length(all.first<record_head_bytes>());
  if (!length) return false;
  const auto opened = cipher_.open(all.first(*length));
  if (!opened) return false;
  begin_ += *length;
  plain_ = *opened;
  return true;
}

// Like recv, into buffer_.
ssize_t incoming_records::read(int socket) noexcept {
  if (drained_) return fails_with(EAGAIN);
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (capacity - begin_ < most_record_bytes) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const std::size_t room = capacity - end_;
  const ssize_t got = ::recv(socket, buffer_.get() + end_, room, MSG_DONTWAIT);
  if (got <= 0) return got;
  drained_ = static_cast<std::size_t>(got) < room;
  end_ += static_cast<std::size_t>(got);
  return got;
}

// Opens the next record if no plain bytes are left. Returns what recv returned if there is none.
ssize_t incoming_records::ensure_opened(int socket) noexcept {
  while (plain_.empty()) {
    if (has_record()) {
      if (!open_record()) return fails_with(EBADMSG);
    } else if (const ssize_t got = read(socket); got <= 0) {
      return got;
    }
  }
  return 1;
}

ssize_t incoming_records::receive(int socket, std::span<const iovec> parts,
                                  foreign_parts foreign) noexcept {
  drained_ = false;
  std::size_t moved = 0;
  const auto out = [this](std::byte* part, std::size_t bytes, bool is_foreign) {
    return copy(part, plain_.data(), bytes, is_foreign);
  };
  for (iovec_cursor to(parts, foreign); !to.ended();) {
    ssize_t so_far = ensure_opened(socket);
    if (so_far > 0) {
      const std::size_t copied = to.copy_next(plain_.size(), out);
      plain_ = plain_.subspan(copied);
      moved += copied;
      if (copied != 0) continue;
      so_far = fails_with(EFAULT);
    }
    if (moved == 0) return so_far;
    break;
  }
  return static_cast<ssize_t>(moved);
}

ssize_t incoming_records::skip(int socket, std::size_t bytes) noexcept {
  drained_ = false;
  std::size_t gone = 0;
  while (gone < bytes) {
    const ssize_t so_far = ensure_opened(socket);
    if (so_far <= 0 && gone == 0) return so_far;
    if (so_far <= 0) break;
    const std::size_t now = std::min(plain_.size(), bytes - gone);
    plain_ = plain_.subspan(now);
    gone += now;
  }
  return static_cast<ssize_t>(gone);
}

}  // namespace am::detail::tcp
