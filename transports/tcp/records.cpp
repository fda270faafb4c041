#include <libam/base/checked_copy.hpp>
#include <transports/tcp/records.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace am::detail::tcp {

// Parts of memory, from the first byte to the last.
class walk {
 public:
  walk(std::span<const iovec> parts, foreign_parts foreign) noexcept
      : parts_(parts), foreign_(foreign) {
    pass_empty();
  }

  [[nodiscard]] bool ended() const noexcept { return parts_.empty(); }

  // Copies what comes next, at most `most` bytes of one part, with copy(where, bytes, foreign).
  // How many; 0: nothing is mapped there.
  template <class Copy>
  std::size_t step(std::size_t most, Copy&& copy) noexcept {
    const std::size_t bytes = std::min(most, parts_.front().iov_len - at_);
    auto* const where = static_cast<std::byte*>(parts_.front().iov_base) + at_;
    if (!copy(where, bytes, (foreign_ & 1) != 0)) return 0;
    at_ += bytes;
    pass_empty();
    return bytes;
  }

 private:
  void pass_empty() noexcept {
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
  if (foreign) return base::copy_checked(to, from, bytes) == base::copied::all;
  std::memcpy(to, from, bytes);
  return true;
}

ssize_t fails_with(int error) noexcept {
  errno = error;
  return -1;
}

}  // namespace

// ---- out ----------------------------------------------------------------------------------------

outgoing_records::outgoing_records(const key& one)
    : cipher_(one), room_(std::make_unique_for_overwrite<std::byte[]>(room_bytes)) {}

// True: nothing is held any more. False with errno: the socket takes no more now; or it never will
// again, and then nothing is held either.
bool outgoing_records::push(int socket) noexcept {
  while (holds()) {
    const ssize_t sent =
        ::send(socket, room_.get() + gone_, sealed_ - gone_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) {
      const bool passes = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ||
                          errno == ENOBUFS || errno == ENOMEM;
      if (!passes) gone_ = sealed_;
      return false;
    }
    gone_ += static_cast<std::size_t>(sent);
  }
  return true;
}

// The next record, of what stands there: how many bytes of it, fewer only before a part that is not
// mapped.
std::size_t outgoing_records::seal(walk& from) noexcept {
  std::size_t filled = 0;
  while (!from.ended() && filled < most_plain_bytes) {
    std::byte* const to = room_.get() + record_head_bytes + filled;
    const auto in = [to](const std::byte* part, std::size_t bytes, bool is_foreign) {
      return copy(to, part, bytes, is_foreign);
    };
    const std::size_t copied = from.step(most_plain_bytes - filled, in);
    if (copied == 0) break;
    filled += copied;
  }
  if (filled == 0) return 0;
  sealed_ = cipher_.seal(room_.get(), filled);
  gone_ = 0;
  return filled;
}

// Each record leaves before the next one is sealed, and is opened at the other end meanwhile.
ssize_t outgoing_records::send(int socket, std::span<const iovec> parts,
                               foreign_parts foreign) noexcept {
  if (!push(socket)) return -1;
  std::size_t taken = 0;
  for (walk from(parts, foreign); !from.ended();) {
    const std::size_t sealed = seal(from);
    if (sealed == 0 && taken == 0) return fails_with(EFAULT);
    if (sealed == 0) break;
    taken += sealed;
    if (push(socket)) continue;
    if (!holds()) return -1;
    break;
  }
  return static_cast<ssize_t>(taken);
}

// ---- in -----------------------------------------------------------------------------------------

incoming_records::incoming_records(const key& one)
    : cipher_(one), room_(std::make_unique_for_overwrite<std::byte[]>(room_bytes)) {}

// Also one that cannot be: it has to be told of.
bool incoming_records::has_record() const noexcept {
  if (end_ - begin_ < record_head_bytes) return false;
  const std::byte* const first = room_.get() + begin_;
  const auto length =
      record_length(std::span<const std::byte, record_head_bytes>(first, record_head_bytes));
  return !length || *length <= end_ - begin_;
}

// The first of those that are there.
bool incoming_records::open_record() noexcept {
  const std::span<std::byte> all(room_.get() + begin_, end_ - begin_);
  const auto length = record_length(all.first<record_head_bytes>());
  if (!length) return false;
  const auto said = cipher_.open(all.first(*length));
  if (!said) return false;
  begin_ += *length;
  plain_ = *said;
  return true;
}

// As recv, into room_.
ssize_t incoming_records::read(int socket) noexcept {
  if (drained_) return fails_with(EAGAIN);
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (room_bytes - begin_ < most_record_bytes) {
    std::memmove(room_.get(), room_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const std::size_t room = room_bytes - end_;
  const ssize_t got = ::recv(socket, room_.get() + end_, room, MSG_DONTWAIT);
  if (got <= 0) return got;
  drained_ = static_cast<std::size_t>(got) < room;
  end_ += static_cast<std::size_t>(got);
  return got;
}

// Sees to it that something is opened: what recv says if there is nothing.
ssize_t incoming_records::open(int socket) noexcept {
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
  for (walk to(parts, foreign); !to.ended();) {
    ssize_t so_far = open(socket);
    if (so_far > 0) {
      const std::size_t copied = to.step(plain_.size(), out);
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
    const ssize_t so_far = open(socket);
    if (so_far <= 0 && gone == 0) return so_far;
    if (so_far <= 0) break;
    const std::size_t now = std::min(plain_.size(), bytes - gone);
    plain_ = plain_.subspan(now);
    gone += now;
  }
  return static_cast<ssize_t>(gone);
}

}  // namespace am::detail::tcp
