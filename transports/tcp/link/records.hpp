// The two streams of an encrypted connection, from parts of memory into records and back. Each has
// a buffer, because a record is sent and opened whole.
#pragma once

#include <transports/tcp/link/cipher.hpp>

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace am::detail::tcp {

// Which parts are the program's memory, which may be unmapped: bit i stands for part i.
using foreign_parts = std::uint64_t;
// In one call.
inline constexpr std::size_t most_parts = 64;

// Of a call that sends: the socket takes no more now.
bool is_temporary(int error) noexcept;

class iovec_cursor;

// The calls are those of tcp_link (tcp_link.hpp).
class outgoing_records {
 public:
  // Throws std::bad_alloc.
  explicit outgoing_records(const key& one);

  ssize_t send(int socket, std::span<const iovec> parts, foreign_parts foreign) noexcept;
  [[nodiscard]] bool has_unsent() const noexcept { return sent_ != sealed_; }

 private:
  bool flush(int socket) noexcept;
  std::size_t seal(iovec_cursor& from) noexcept;

  static constexpr std::size_t capacity = most_record_bytes;

  cipher cipher_;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t sealed_ = 0;  // bytes of the record in buffer_
  std::size_t sent_ = 0;    // bytes of it that the system has taken
};

class incoming_records {
 public:
  // Throws std::bad_alloc.
  explicit incoming_records(const key& one);

  ssize_t receive(int socket, std::span<const iovec> parts, foreign_parts foreign) noexcept;
  ssize_t skip(int socket, std::size_t bytes) noexcept;
  [[nodiscard]] bool has_input() const noexcept { return !plain_.empty() || has_record(); }

 private:
  [[nodiscard]] bool has_record() const noexcept;
  ssize_t ensure_opened(int socket) noexcept;
  bool open_record() noexcept;
  ssize_t read(int socket) noexcept;

  static constexpr std::size_t capacity = std::size_t{64} * 1024;
  static_assert(capacity >= 2 * most_record_bytes);

  cipher cipher_;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t begin_ = 0;  // of records that are not opened
  std::size_t end_ = 0;
  std::span<std::byte> plain_;  // opened, in buffer_ before them
  bool drained_ = false;        // this call has read all that the socket had
};

struct records {
  // Throws std::bad_alloc.
  explicit records(const session_keys& keys) : outgoing(keys.sending), incoming(keys.receiving) {}

  outgoing_records outgoing;
  incoming_records incoming;
};

}  // namespace am::detail::tcp
