#include <libam/base/abstract_socket.hpp>

#include <cstddef>
#include <cstring>
#include <utility>

namespace am::detail::base {
namespace {

// An abstract name begins with a null byte; the kernel adds five characters.
constexpr std::size_t name_bytes = 5;

}  // namespace

socket_address::socket_address(socket_name name) noexcept {
  address_.sun_family = AF_UNIX;
  std::memcpy(address_.sun_path + 1, &name, name_bytes);
}

socklen_t socket_address::size() noexcept {
  return offsetof(sockaddr_un, sun_path) + 1 + name_bytes;
}

fd make_abstract_socket(int type) noexcept {
  fd made(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  const sockaddr_un no_name{AF_UNIX, {}};
  // Bound to the family alone, it gets a free name.
  if (made.valid() && ::bind(made.get(), reinterpret_cast<const sockaddr*>(&no_name),
                             sizeof no_name.sun_family) == 0)
    return made;
  return fd();
}

socket_name name_of_socket(int socket) noexcept {
  sockaddr_un own{};
  socklen_t size = sizeof own;
  socket_name name = no_socket;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) == 0 &&
      size == socket_address::size())
    std::memcpy(&name, own.sun_path + 1, name_bytes);
  return name;
}

}  // namespace am::detail::base
