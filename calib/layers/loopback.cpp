#include <calib/layers/loopback.hpp>

#include <calib/program/report.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace calib {
namespace {

void set(int socket, int level, int option, int value) {
  if (::setsockopt(socket, level, option, &value, sizeof value) != 0)
    report::system_fault("setsockopt");
}

}  // namespace

void set_buffers(int socket, int bytes) {
  for (const int which : {SO_SNDBUF, SO_RCVBUF})
    if (bytes > 0) set(socket, SOL_SOCKET, which, bytes);
}

void set_no_delay(int socket) { set(socket, IPPROTO_TCP, TCP_NODELAY, 1); }

connection connect_loopback(int buffers) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  connection out{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), -1};
  // An accepted socket inherits the buffers of its listener.
  for (const int socket : {listener, out.requester}) set_buffers(socket, buffers);
  sockaddr_in local{};
  local.sin_family = AF_INET;
  local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof local;
  auto* address = reinterpret_cast<sockaddr*>(&local);
  if (::bind(listener, address, bytes) != 0 || ::listen(listener, 1) != 0 ||
      ::getsockname(listener, address, &bytes) != 0 ||
      ::connect(out.requester, address, bytes) != 0)
    report::system_fault("no connection over the loopback interface");
  out.responder = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  ::close(listener);
  for (const int end : {out.requester, out.responder}) set_no_delay(end);
  return out;
}

void send_all(int to, const void* from, std::size_t bytes) {
  for (const auto* at = static_cast<const char*>(from); bytes > 0;) {
    const ssize_t sent = ::send(to, at, bytes, MSG_NOSIGNAL);
    if (sent < 0) report::system_fault("send");
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
}

void send_both(int to, const void* front, std::size_t front_bytes, const std::byte* rest,
               std::size_t bytes) {
  iovec parts[2] = {{const_cast<void*>(front), front_bytes}, {const_cast<std::byte*>(rest), bytes}};
  msghdr both{};
  both.msg_iov = parts;
  both.msg_iovlen = 2;
  const ssize_t sent = ::sendmsg(to, &both, MSG_NOSIGNAL);
  if (sent < static_cast<ssize_t>(front_bytes)) report::system_fault("sendmsg");
  const std::size_t done = static_cast<std::size_t>(sent) - front_bytes;
  send_all(to, rest + done, bytes - done);
}

std::size_t receive_some(int from, void* to, std::size_t most, wait_mode how) {
  for (;;) {
    const ssize_t got = ::recv(from, to, most, how == wait_mode::spinning ? MSG_DONTWAIT : 0);
    if (got > 0) return static_cast<std::size_t>(got);
    if (got == 0) report::fault("the other process has closed its socket");
    if (errno != EAGAIN) report::system_fault("recv");
  }
}

void receive_all(int from, void* to, std::size_t bytes, wait_mode how) {
  for (auto* at = static_cast<char*>(to); bytes > 0;) {
    const std::size_t got = receive_some(from, at, bytes, how);
    at += got;
    bytes -= got;
  }
}

}  // namespace calib
