// The addresses at which a rank listens, and how it publishes them in the job's key store.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace am::detail::tcp {

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
  [[nodiscard]] std::string text() const;       // "127.0.0.1:4711", "[::1]:4711"
  [[nodiscard]] std::string host_text() const;  // "127.0.0.1", "::1"
  // The 4 or 16 bytes of the IP address, in network byte order.
  [[nodiscard]] std::span<const std::byte> host() const noexcept;
  [[nodiscard]] bool is_loopback() const noexcept;
  // An IPv6 address that is valid only together with an interface of this host.
  [[nodiscard]] bool is_link_local() const noexcept;

 private:
  friend struct rank_address;

  union {
    sockaddr any;
    sockaddr_in four;
    sockaddr_in6 six;
  } socket_{};
};

// What a rank puts into the job's key store, so that others reach it.
struct rank_address {
  bool encrypts;
  std::vector<address> addresses;

  // A byte, 1 if the rank encrypts, else 0; then addresses, each {4 or 6, the port with its high
  // byte first, 4 or 16 bytes}.
  [[nodiscard]] std::vector<std::byte> encode() const;
  // Nothing unless `bytes` have exactly that form.
  static std::optional<rank_address> decode(std::span<const std::byte> bytes);
};

}  // namespace am::detail::tcp
