#include <transports/tcp/line.hpp>

#include <sys/socket.h>

namespace am::detail::tcp {

namespace {

msghdr message_of(std::span<const iovec> parts) noexcept {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data());
  message.msg_iovlen = parts.size();
  return message;
}

}  // namespace

ssize_t line::send(std::span<const iovec> parts) noexcept {
  const msghdr message = message_of(parts);
  return ::sendmsg(socket(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

ssize_t line::receive(std::span<const iovec> parts) noexcept {
  msghdr message = message_of(parts);
  return ::recvmsg(socket(), &message, MSG_DONTWAIT);
}

ssize_t line::skip(std::size_t bytes) noexcept {
  return ::recv(socket(), nullptr, bytes, MSG_DONTWAIT | MSG_TRUNC);
}

}  // namespace am::detail::tcp
