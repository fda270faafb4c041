// Two ends of a link over sockets of the loopback interface, and transfers through them.
#pragma once

#include <transports/tcp/connect/proof.hpp>
#include <transports/tcp/link/tcp_link.hpp>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>

#include <random>
#include <span>
#include <utility>
#include <vector>

namespace am_test {

namespace base = am::detail::base;
namespace tcp = am::detail::tcp;

using bytes = std::vector<std::byte>;

struct sockets {
  base::fd near;
  base::fd far;
  sockets() {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const name = reinterpret_cast<sockaddr*>(&here);
    socklen_t size = sizeof here;
    const base::fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::bind(listener.get(), name, size) == 0);
    REQUIRE(::listen(listener.get(), 1) == 0);
    REQUIRE(::getsockname(listener.get(), name, &size) == 0);
    near = base::fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::connect(near.get(), name, size) == 0);
    far = base::fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    REQUIRE(far.valid());
  }
};

inline tcp::session_keys keys_of(unsigned sending, unsigned receiving) {
  tcp::session_keys keys;
  keys.sending.fill(static_cast<std::byte>(sending));
  keys.receiving.fill(static_cast<std::byte>(receiving));
  return keys;
}

inline tcp::tcp_link make_near_link(base::fd socket, bool encrypted) {
  REQUIRE(tcp::init_sodium());
  return encrypted ? tcp::tcp_link(std::move(socket), keys_of(1, 2))
                   : tcp::tcp_link(std::move(socket));
}
inline tcp::tcp_link make_far_link(base::fd socket, bool encrypted) {
  return encrypted ? tcp::tcp_link(std::move(socket), keys_of(2, 1))
                   : tcp::tcp_link(std::move(socket));
}

struct link_pair {
  explicit link_pair(bool encrypted = true) {
    sockets pair;
    near = make_near_link(std::move(pair.near), encrypted);
    far = make_far_link(std::move(pair.far), encrypted);
  }
  tcp::tcp_link near;
  tcp::tcp_link far;
};

inline bytes random_bytes(std::size_t count, unsigned seed) {
  bytes all(count);
  std::mt19937 rng(seed);
  for (std::byte& one : all) one = static_cast<std::byte>(rng());
  return all;
}

inline bool is_readable(int socket, int timeout = 1000) {
  pollfd one{socket, POLLIN, 0};
  return ::poll(&one, 1, timeout) == 1;
}

inline ssize_t send_all(tcp::tcp_link& from, std::span<const std::byte> what) {
  const iovec part{const_cast<std::byte*>(what.data()), what.size()};
  return from.send({&part, 1});
}

inline bytes take_raw(int socket, std::size_t count) {
  bytes all(count);
  REQUIRE(::recv(socket, all.data(), count, MSG_WAITALL) == static_cast<ssize_t>(count));
  return all;
}

inline void put_raw(int socket, std::span<const std::byte> what) {
  REQUIRE(::send(socket, what.data(), what.size(), 0) == static_cast<ssize_t>(what.size()));
}

}  // namespace am_test
