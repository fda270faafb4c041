// The address of a TCP socket, and how a rank publishes those at which it is reached.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace am::detail::packed {

class address {
 public:
  // This host alone, with the port open: AF_INET or AF_INET6.
  static address loopback(int family) noexcept;
  // The address of an interface as the system gives it; nothing if it is of another family.
  static std::optional<address> from_sockaddr(const sockaddr& one) noexcept;
  // The local address of a socket, and the remote one; nothing with errno.
  static std::optional<address> local_of(int socket) noexcept;
  static std::optional<address> remote_of(int socket) noexcept;

  [[nodiscard]] int family() const noexcept { return socket_.any.sa_family; }
  [[nodiscard]] const sockaddr* raw() const noexcept { return &socket_.any; }
  [[nodiscard]] socklen_t size() const noexcept;
  [[nodiscard]] in_port_t port() const noexcept;  // in host byte order
  [[nodiscard]] std::string text() const;         // "127.0.0.1:4711", "[::1]:4711"
  [[nodiscard]] std::string host_text() const;    // "127.0.0.1", "::1"
  // The 4 or 16 bytes of the IP address, in network byte order.
  [[nodiscard]] std::span<const std::byte> host() const noexcept;
  [[nodiscard]] bool is_loopback() const noexcept;
  // An IPv6 address that is valid only together with an interface of this host.
  [[nodiscard]] bool is_link_local() const noexcept;
  // The same IP address and port.
  friend bool operator==(const address& one, const address& other) noexcept;

 private:
  friend void append_addresses(std::vector<std::byte>& to, std::span<const address> all);
  friend std::optional<std::vector<address>> read_addresses(std::span<const std::byte> bytes);

  union {
    sockaddr any;
    sockaddr_in four;
    sockaddr_in6 six;
  } socket_{};
};

// Each as {4 or 6, the port with its high byte first, 4 or 16 bytes}.
void append_addresses(std::vector<std::byte>& to, std::span<const address> all);
// Nothing unless `bytes` have exactly that form.
std::optional<std::vector<address>> read_addresses(std::span<const std::byte> bytes);

}  // namespace am::detail::packed
