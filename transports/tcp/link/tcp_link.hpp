// An established connection: two streams of bytes, of which each call moves what the system can at
// the moment. All frames and bulk data after the proof pass through it, in records if the job
// encrypts.
#pragma once

#include <libam/base/fd.hpp>
#include <transports/tcp/link/network_fault_injector.hpp>
#include <transports/tcp/link/records.hpp>

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace am::detail::tcp {

class tcp_link {
 public:
  tcp_link() = default;
  explicit tcp_link(base::fd socket) noexcept : socket_(std::move(socket)) {}
  // Encrypted. Throws std::bad_alloc.
  tcp_link(base::fd socket, const session_keys& keys)
      : socket_(std::move(socket)), records_(std::make_unique<records>(keys)) {}

  // From now on faults are injected; null: none.
  void set_fault_injector(network_fault_injector* injector) noexcept { fault_injector_ = injector; }

  [[nodiscard]] int socket() const noexcept { return socket_.get(); }
  [[nodiscard]] bool encrypts() const noexcept { return records_ != nullptr; }
  // Ends the link.
  [[nodiscard]] base::fd take_socket() noexcept {
    records_.reset();
    return std::move(socket_);
  }

  // Like sendmsg and recvmsg without waiting: the number of bytes, fewer if the socket takes or has
  // no more, or -1 with errno; EFAULT if a part is not mapped and nothing before it was moved. A
  // plain link ignores `foreign`, because the system checks every part itself.
  ssize_t send(std::span<const iovec> parts, foreign_parts foreign = 0) noexcept;
  ssize_t receive(std::span<const iovec> parts, foreign_parts foreign = 0) noexcept;
  // The same for bytes that are thrown away.
  ssize_t skip(std::size_t bytes) noexcept;

  // Some of what was sent is still buffered here: when the socket is writable a send() is due, if
  // need be of nothing.
  [[nodiscard]] bool has_unsent() const noexcept {
    return records_ != nullptr && records_->outgoing.has_unsent();
  }
  // There is something to receive, or an error to report, for which the socket gives no event.
  [[nodiscard]] bool has_input() const noexcept {
    return records_ != nullptr && records_->incoming.has_input();
  }

  // The text for an errno of these calls.
  [[nodiscard]] static std::string error_text(int error);

 private:
  ssize_t send_some(std::span<const iovec> parts, foreign_parts foreign) noexcept;
  ssize_t receive_some(std::span<const iovec> parts, foreign_parts foreign) noexcept;

  base::fd socket_;
  network_fault_injector* fault_injector_ = nullptr;
  std::unique_ptr<records> records_;  // null: plain
};

}  // namespace am::detail::tcp
