// Abstract local sockets, without a file: the kernel names them, and a process that knows the name,
// a number, reaches them.
#pragma once

#include <libam/base/fd.hpp>

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdint>

namespace am::detail::base {

using socket_name = std::uint64_t;
inline constexpr socket_name no_socket = 0;

// With a free name, close-on-exec. Invalid with errno if that fails.
fd make_abstract_socket(int type) noexcept;
// no_socket: it has no such name.
socket_name name_of_socket(int socket) noexcept;

// For connect, sendto and similar calls.
class socket_address {
 public:
  explicit socket_address(socket_name name) noexcept;
  [[nodiscard]] const sockaddr* get() const noexcept {
    return reinterpret_cast<const sockaddr*>(&address_);
  }
  [[nodiscard]] static socklen_t size() noexcept;

 private:
  sockaddr_un address_{};
};

}  // namespace am::detail::base
