#include <libam/base/why.hpp>
#include <transports/tcp/line.hpp>

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

ssize_t line::send(std::span<const iovec> parts, foreign_parts foreign) noexcept {
  if (faults_ != nullptr) return send_some(faults_->cut(parts), foreign);
  return send_some(parts, foreign);
}

ssize_t line::receive(std::span<const iovec> parts, foreign_parts foreign) noexcept {
  if (faults_ != nullptr) return receive_some(faults_->cut(parts), foreign);
  return receive_some(parts, foreign);
}

// One part, the usual case, is cheaper without the list.
ssize_t line::send_some(std::span<const iovec> parts, foreign_parts foreign) noexcept {
  if (records_ != nullptr) return records_->outgoing.send(socket(), parts, foreign);
  if (parts.size() == 1)
    return ::send(socket(), parts[0].iov_base, parts[0].iov_len, MSG_DONTWAIT | MSG_NOSIGNAL);
  const msghdr message = message_of(parts);
  return ::sendmsg(socket(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

ssize_t line::receive_some(std::span<const iovec> parts, foreign_parts foreign) noexcept {
  if (records_ != nullptr) return records_->incoming.receive(socket(), parts, foreign);
  if (parts.size() == 1) return ::recv(socket(), parts[0].iov_base, parts[0].iov_len, MSG_DONTWAIT);
  msghdr message = message_of(parts);
  return ::recvmsg(socket(), &message, MSG_DONTWAIT);
}

ssize_t line::skip(std::size_t bytes) noexcept {
  if (records_ != nullptr) return records_->incoming.skip(socket(), bytes);
  return ::recv(socket(), nullptr, bytes, MSG_DONTWAIT | MSG_TRUNC);
}

std::string line::why(int error) {
  if (error == EBADMSG) return "a record that nobody of this job wrote";
  if (error == ETIMEDOUT) return "silent for longer than AM_PEER_TIMEOUT";
  return base::why(error);
}

}  // namespace am::detail::tcp
