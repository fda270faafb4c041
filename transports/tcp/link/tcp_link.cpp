#include <transports/tcp/link/tcp_link.hpp>

#include <libam/base/error.hpp>

#include <sys/socket.h>

#include <cerrno>

namespace am::detail::tcp {

namespace {

msghdr message_of(std::span<const iovec> parts) noexcept {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data());
  message.msg_iovlen = parts.size();
  return message;
}

}  // namespace

ssize_t tcp_link::send(std::span<const iovec> parts, foreign_parts foreign) noexcept {
  if (fault_injector_ != nullptr) return send_some(fault_injector_->shorten(parts), foreign);
  return send_some(parts, foreign);
}

ssize_t tcp_link::receive(std::span<const iovec> parts, foreign_parts foreign) noexcept {
  if (fault_injector_ != nullptr) return receive_some(fault_injector_->shorten(parts), foreign);
  return receive_some(parts, foreign);
}

// One part, the usual case, is cheaper without a list of parts.
ssize_t tcp_link::send_some(std::span<const iovec> parts, foreign_parts foreign) noexcept {
  if (records_ != nullptr) return records_->outgoing.send(socket(), parts, foreign);
  if (parts.size() == 1)
    return ::send(socket(), parts[0].iov_base, parts[0].iov_len, MSG_DONTWAIT | MSG_NOSIGNAL);
  const msghdr message = message_of(parts);
  return ::sendmsg(socket(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

ssize_t tcp_link::receive_some(std::span<const iovec> parts, foreign_parts foreign) noexcept {
  if (records_ != nullptr) return records_->incoming.receive(socket(), parts, foreign);
  if (parts.size() == 1) return ::recv(socket(), parts[0].iov_base, parts[0].iov_len, MSG_DONTWAIT);
  msghdr message = message_of(parts);
  return ::recvmsg(socket(), &message, MSG_DONTWAIT);
}

ssize_t tcp_link::skip(std::size_t bytes) noexcept {
  if (records_ != nullptr) return records_->incoming.skip(socket(), bytes);
  return ::recv(socket(), nullptr, bytes, MSG_DONTWAIT | MSG_TRUNC);
}

std::string tcp_link::error_text(int error) {
  if (error == EBADMSG) return "a record that no rank of this job has written";
  if (error == ETIMEDOUT) return "silent for longer than AM_PEER_TIMEOUT";
  return base::errno_text(error);
}

}  // namespace am::detail::tcp
