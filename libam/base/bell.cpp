#include <libam/base/bell.hpp>
#include <libam/base/error.hpp>
#include <libam/base/why.hpp>

#include <linux/sockios.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

namespace am::detail::base {
namespace {

// An abstract name begins with a null byte.
constexpr std::size_t name_bytes = 5;
constexpr socklen_t address_bytes = offsetof(sockaddr_un, sun_path) + 1 + name_bytes;

// Datagrams that were sent and not yet read count against the sender's room, and only then can it
// be full. Otherwise it is the other bell that has no room, because it has rung already.
bool own_room_is_full(int socket) noexcept {
  int unread = 0;
  int room = 0;
  socklen_t size = sizeof room;
  return ::ioctl(socket, SIOCOUTQ, &unread) == 0 &&
         ::getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &room, &size) == 0 && unread > room / 2;
}

}  // namespace

am_status bell::create(fd& socket) {
  fd made(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_un no_name{AF_UNIX, {}};
  // Bound to nothing but the family, it gets a name that is free.
  if (!made.valid() || ::bind(made.get(), reinterpret_cast<const sockaddr*>(&no_name),
                              sizeof no_name.sun_family) != 0)
    return fail(AM_RESOURCE_DESCRIPTORS, "no socket to be woken by: {}", why(errno));
  socket = std::move(made);
  return AM_OK;
}

bell::bell(fd socket) noexcept : socket_(std::move(socket)) {
  sockaddr_un own{};
  socklen_t size = sizeof own;
  if (!valid() || ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0 ||
      size != address_bytes)
    return;
  std::memcpy(&name_, own.sun_path + 1, name_bytes);
}

void bell::silence() const noexcept {
  // Bounded, because strangers can ring, too.
  constexpr unsigned most = 100;
  char byte = 0;
  for (unsigned i = 0; i < most && ::recv(socket_.get(), &byte, 1, MSG_DONTWAIT) >= 0;) ++i;
}

void bell::ring(name other) const noexcept {
  if (!valid() || other == nobody) return;
  sockaddr_un there{AF_UNIX, {}};
  std::memcpy(there.sun_path + 1, &other, name_bytes);
  const auto rung = [&](int socket) {
    return ::sendto(socket, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL,
                    reinterpret_cast<const sockaddr*>(&there), address_bytes) >= 0;
  };
  // Those who were rung are reading; but some may never, and whoever named them must not hold this
  // rank up.
  constexpr unsigned patience = 1000;
  for (unsigned tries = 0; !rung(socket_.get()); ++tries) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != ENOBUFS && errno != ENOMEM) return;
    if (errno == EAGAIN && !own_room_is_full(socket_.get())) return;
    if (tries == patience) {
      const fd fresh(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));  // has room of its own
      if (fresh.valid()) (void)rung(fresh.get());
      return;
    }
    ::sched_yield();
  }
}

}  // namespace am::detail::base
