// An established connection: two streams of bytes, of which the system takes and gives what it can
// at the moment. All that frames and bulk data pass through after the proof passes through here.
#pragma once

#include <libam/base/fd.hpp>

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <span>
#include <utility>

namespace am::detail::tcp {

class line {
 public:
  line() = default;
  explicit line(base::fd socket) noexcept : socket_(std::move(socket)) {}

  [[nodiscard]] int socket() const noexcept { return socket_.get(); }
  [[nodiscard]] base::fd take_socket() noexcept { return std::move(socket_); }

  // As sendmsg and recvmsg, which never wait here: how many bytes, or -1 with errno; EFAULT if a
  // part is not mapped and nothing before it was moved.
  ssize_t send(std::span<const iovec> parts) noexcept;
  ssize_t receive(std::span<const iovec> parts) noexcept;
  // The same for bytes that nobody wants.
  ssize_t skip(std::size_t bytes) noexcept;

 private:
  base::fd socket_;
};

}  // namespace am::detail::tcp
