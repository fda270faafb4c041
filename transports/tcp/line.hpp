// An established connection: two streams of bytes, of which the system takes and gives what it can
// at the moment. All that frames and bulk data pass through after the proof passes through here, in
// records if the job encrypts.
#pragma once

#include <libam/base/fd.hpp>
#include <transports/tcp/bad_network.hpp>
#include <transports/tcp/records.hpp>

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace am::detail::tcp {

class line {
 public:
  line() = default;
  explicit line(base::fd socket) noexcept : socket_(std::move(socket)) {}
  // Encrypted. Throws std::bad_alloc.
  line(base::fd socket, const session_keys& keys)
      : socket_(std::move(socket)), records_(std::make_unique<records>(keys)) {}

  // From now on calls move a few bytes now and then.
  void suffer(bad_network* faults) noexcept { faults_ = faults; }

  [[nodiscard]] int socket() const noexcept { return socket_.get(); }
  [[nodiscard]] bool encrypts() const noexcept { return records_ != nullptr; }
  // The line is over.
  [[nodiscard]] base::fd take_socket() noexcept {
    records_.reset();
    return std::move(socket_);
  }

  // As sendmsg and recvmsg, which never wait here: how many bytes, fewer if the socket takes or has
  // no more, or -1 with errno; EFAULT if a part is not mapped and nothing before it was moved. A
  // plain line does without being told which parts are foreign, for the system looks.
  ssize_t send(std::span<const iovec> parts, foreign_parts foreign = 0) noexcept;
  ssize_t receive(std::span<const iovec> parts, foreign_parts foreign = 0) noexcept;
  // The same for bytes that nobody wants.
  ssize_t skip(std::size_t bytes) noexcept;

  // Some of what was sent is not the system's yet: when the socket is writable send it is due, if
  // need be of nothing.
  [[nodiscard]] bool holds() const noexcept {
    return records_ != nullptr && records_->outgoing.holds();
  }
  // There is something to receive, or to be told, of which no sign of the socket tells.
  [[nodiscard]] bool has_input() const noexcept {
    return records_ != nullptr && records_->incoming.has_input();
  }

  // The words for an errno of these calls.
  [[nodiscard]] static std::string why(int error);

 private:
  ssize_t send_some(std::span<const iovec> parts, foreign_parts foreign) noexcept;
  ssize_t receive_some(std::span<const iovec> parts, foreign_parts foreign) noexcept;

  base::fd socket_;
  bad_network* faults_ = nullptr;
  std::unique_ptr<records> records_;  // null: plain
};

}  // namespace am::detail::tcp
