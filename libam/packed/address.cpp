#include <libam/packed/address.hpp>

#include <libam/base/format.hpp>

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

namespace am::detail::packed {

namespace {

constexpr std::byte version_four{4};
constexpr std::byte version_six{6};
constexpr std::size_t port_bytes = sizeof(in_port_t);

void append(std::vector<std::byte>& to, const void* from, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(from);
  to.insert(to.end(), first, first + bytes);
}

}  // namespace

address address::loopback(int family) noexcept {
  address here;
  here.socket_.any.sa_family = static_cast<sa_family_t>(family);
  if (family == AF_INET)
    here.socket_.four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  else
    here.socket_.six.sin6_addr = in6addr_loopback;
  return here;
}

std::optional<address> address::from_sockaddr(const sockaddr& one) noexcept {
  address copy;
  if (one.sa_family == AF_INET)
    std::memcpy(&copy.socket_.four, &one, sizeof copy.socket_.four);
  else if (one.sa_family == AF_INET6)
    std::memcpy(&copy.socket_.six, &one, sizeof copy.socket_.six);
  else
    return std::nullopt;
  return copy;
}

std::optional<address> address::local_of(int socket) noexcept {
  address bound;
  socklen_t size = sizeof bound.socket_;
  if (::getsockname(socket, &bound.socket_.any, &size) != 0) return std::nullopt;
  return bound;
}

std::optional<address> address::remote_of(int socket) noexcept {
  address far;
  socklen_t size = sizeof far.socket_;
  if (::getpeername(socket, &far.socket_.any, &size) != 0) return std::nullopt;
  return far;
}

socklen_t address::size() const noexcept {
  return family() == AF_INET ? sizeof socket_.four : sizeof socket_.six;
}

in_port_t address::port() const noexcept {
  return ntohs(family() == AF_INET ? socket_.four.sin_port : socket_.six.sin6_port);
}

std::string address::text() const {
  if (family() == AF_INET) return base::format("{}:{}", host_text(), port());
  return base::format("[{}]:{}", host_text(), port());
}

std::string address::host_text() const {
  char number[INET6_ADDRSTRLEN] = "?";
  ::inet_ntop(family(), host().data(), number, sizeof number);
  return number;
}

std::span<const std::byte> address::host() const noexcept {
  if (family() == AF_INET) return std::as_bytes(std::span(&socket_.four.sin_addr, 1));
  return std::as_bytes(std::span(&socket_.six.sin6_addr, 1));
}

bool address::is_loopback() const noexcept {
  if (family() == AF_INET) return host()[0] == std::byte{IN_LOOPBACKNET};
  return IN6_IS_ADDR_LOOPBACK(&socket_.six.sin6_addr) != 0;
}

bool address::is_link_local() const noexcept {
  return family() == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&socket_.six.sin6_addr) != 0;
}

bool operator==(const address& one, const address& other) noexcept {
  return std::ranges::equal(one.host(), other.host()) && one.port() == other.port();
}

void append_addresses(std::vector<std::byte>& to, std::span<const address> all) {
  for (const address& one : all) {
    if (one.family() == AF_INET) {
      to.push_back(version_four);
      append(to, &one.socket_.four.sin_port, port_bytes);
      append(to, &one.socket_.four.sin_addr, sizeof(in_addr));
    } else {
      to.push_back(version_six);
      append(to, &one.socket_.six.sin6_port, port_bytes);
      append(to, &one.socket_.six.sin6_addr, sizeof(in6_addr));
    }
  }
}

std::optional<std::vector<address>> read_addresses(std::span<const std::byte> bytes) {
  std::vector<address> all;
  while (!bytes.empty()) {
    const bool four = bytes[0] == version_four;
    if (!four && bytes[0] != version_six) return std::nullopt;
    const std::size_t host_bytes = four ? sizeof(in_addr) : sizeof(in6_addr);
    if (bytes.size() < 1 + port_bytes + host_bytes) return std::nullopt;
    const std::byte* const port = bytes.data() + 1;
    address one = address::loopback(four ? AF_INET : AF_INET6);
    if (four) {
      std::memcpy(&one.socket_.four.sin_port, port, port_bytes);
      std::memcpy(&one.socket_.four.sin_addr, port + port_bytes, host_bytes);
    } else {
      std::memcpy(&one.socket_.six.sin6_port, port, port_bytes);
      std::memcpy(&one.socket_.six.sin6_addr, port + port_bytes, host_bytes);
    }
    all.push_back(one);
    bytes = bytes.subspan(1 + port_bytes + host_bytes);
  }
  return all;
}

}  // namespace am::detail::packed
