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

[[noreturn]] void give_up(const char* what) {
  report::fault(std::string(what) + ": " + std::strerror(errno));
}

void set(int socket, int level, int option, int value) {
  if (::setsockopt(socket, level, option, &value, sizeof value) != 0) give_up("setsockopt");
}

}  // namespace

connection connect_here(int buffers) {
  const int door = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  connection out{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), -1};
  // Before they connect; what comes in at the door has what the door has.
  for (const int socket : {door, out.asking})
    for (const int which : {SO_SNDBUF, SO_RCVBUF})
      if (buffers > 0) set(socket, SOL_SOCKET, which, buffers);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof here;
  auto* address = reinterpret_cast<sockaddr*>(&here);
  if (::bind(door, address, bytes) != 0 || ::listen(door, 1) != 0 ||
      ::getsockname(door, address, &bytes) != 0 || ::connect(out.asking, address, bytes) != 0)
    give_up("no connection over the loopback interface");
  out.answering = ::accept4(door, nullptr, nullptr, SOCK_CLOEXEC);
  ::close(door);
  for (const int end : {out.asking, out.answering}) set(end, IPPROTO_TCP, TCP_NODELAY, 1);
  return out;
}

void send_all(int to, const void* from, std::size_t bytes) {
  for (const auto* at = static_cast<const char*>(from); bytes > 0;) {
    const ssize_t sent = ::send(to, at, bytes, MSG_NOSIGNAL);
    if (sent < 0) give_up("send");
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
  if (sent < static_cast<ssize_t>(front_bytes)) give_up("sendmsg");
  const std::size_t begun = static_cast<std::size_t>(sent) - front_bytes;
  send_all(to, rest + begun, bytes - begun);
}

std::size_t receive_some(int from, void* to, std::size_t most, waiting how) {
  for (;;) {
    const ssize_t got = ::recv(from, to, most, how == waiting::spinning ? MSG_DONTWAIT : 0);
    if (got > 0) return static_cast<std::size_t>(got);
    if (got == 0) report::fault("the other process has closed its socket");
    if (errno != EAGAIN) give_up("recv");
  }
}

void receive_all(int from, void* to, std::size_t bytes, waiting how) {
  for (auto* at = static_cast<char*>(to); bytes > 0;) {
    const std::size_t got = receive_some(from, at, bytes, how);
    at += got;
    bytes -= got;
  }
}

}  // namespace calib
