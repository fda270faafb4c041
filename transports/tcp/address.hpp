// Where a rank listens, and what others have to know of it first, as it stands on the job's
// blackboard.
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
  // What the system says of an interface; nothing if it is of another family.
  static std::optional<address> of(const sockaddr& one) noexcept;
  // Where a socket is bound, and where it is connected to; nothing with errno.
  static std::optional<address> of(int socket) noexcept;
  static std::optional<address> far_end_of(int socket) noexcept;

  [[nodiscard]] int family() const noexcept { return socket_.any.sa_family; }
  [[nodiscard]] const sockaddr* raw() const noexcept { return &socket_.any; }
  [[nodiscard]] socklen_t size() const noexcept;
  [[nodiscard]] std::string text() const;       // "127.0.0.1:4711", "[::1]:4711"
  [[nodiscard]] std::string host_text() const;  // "127.0.0.1", "::1"
  // The 4 or 16 bytes in front of the port, as they go over the wire.
  [[nodiscard]] std::span<const std::byte> host() const noexcept;
  [[nodiscard]] bool is_loopback() const noexcept;
  // Of IPv6: it means something only together with an interface of this host.
  [[nodiscard]] bool is_link_local() const noexcept;

 private:
  friend struct contact;

  union {
    sockaddr any;
    sockaddr_in four;
    sockaddr_in6 six;
  } socket_{};
};

// One rank's.
struct contact {
  bool encrypts;
  std::vector<address> addresses;

  // A byte, 1 if it encrypts or 0; then addresses, each {4 or 6, the port with its high byte first,
  // 4 or 16 bytes}.
  [[nodiscard]] std::vector<std::byte> encode() const;
  // Nothing unless `bytes` are that and nothing else.
  static std::optional<contact> decode(std::span<const std::byte> bytes);
};

}  // namespace am::detail::tcp
