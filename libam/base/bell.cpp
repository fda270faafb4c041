#include <libam/base/abstract_socket.hpp>
#include <libam/base/bell.hpp>
#include <libam/base/error.hpp>
#include <libam/base/why.hpp>

#include <linux/sockios.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace am::detail::base {
namespace {

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
  fd made = make_abstract_socket(SOCK_DGRAM | SOCK_NONBLOCK);
  if (!made.valid())
    return fail(AM_RESOURCE_DESCRIPTORS, "no socket to be woken by: {}", why(errno));
  socket = std::move(made);
  return AM_OK;
}

bell::bell(fd socket) noexcept : socket_(std::move(socket)), name_(name_of_socket(socket_.get())) {}

void bell::silence() const noexcept {
  // Bounded, because strangers can ring, too.
  constexpr unsigned most = 100;
  char byte = 0;
  for (unsigned i = 0; i < most && ::recv(socket_.get(), &byte, 1, MSG_DONTWAIT) >= 0;) ++i;
}

void bell::ring(name other) const noexcept {
  if (!valid() || other == nobody) return;
  const socket_address there(other);
  const auto rung = [&](int socket) {
    return ::sendto(socket, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL, there.get(), there.size()) >= 0;
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
