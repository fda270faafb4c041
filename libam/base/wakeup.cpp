#include <libam/base/wakeup.hpp>

#include <libam/base/abstract_socket.hpp>
#include <libam/base/error.hpp>

#include <linux/sockios.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace am::detail::base {
namespace {

// Datagrams that were sent and not yet read count against the sender's buffer. Others only make
// room in it.
bool has_send_room(int socket) noexcept {
  int unread = 0;
  int room = 0;
  socklen_t size = sizeof room;
  return ::ioctl(socket, SIOCOUTQ, &unread) == 0 &&
         ::getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &room, &size) == 0 && unread <= room / 2;
}

}  // namespace

am_status wakeup::create(fd& socket) {
  fd made = make_abstract_socket(SOCK_DGRAM | SOCK_NONBLOCK);
  if (!made.valid())
    return fail(AM_RESOURCE_DESCRIPTORS, "no socket for wake-ups: {}", errno_text(errno));
  socket = std::move(made);
  return AM_OK;
}

wakeup::wakeup(fd socket) noexcept
    : socket_(std::move(socket)), name_(name_of_socket(socket_.get())) {}

void wakeup::clear() const noexcept {
  // Bounded, because other users can send here, too.
  constexpr unsigned most = 100;
  char byte = 0;
  for (unsigned i = 0; i < most && ::recv(socket_.get(), &byte, 1, MSG_DONTWAIT) >= 0;) ++i;
}

void wakeup::wake(name other) const noexcept {
  if (!valid() || other == no_name) return;
  const socket_address there(other);
  const auto send_byte = [&](int socket) {
    return ::sendto(socket, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL, there.get(), there.size()) >= 0;
  };
  // EAGAIN has two reasons. The receiver's queue is full: then it has a wake-up pending and needs
  // no other, because a wake-up says nothing but that it was sent, and a rank that is woken looks
  // for everything. Or this socket's buffer is full, of wake-ups that any ranks have not read yet:
  // then the receiver may have none. A new socket has an empty buffer, so its EAGAIN has the first
  // reason alone. Its ECONNREFUSED says that the receiver is dead, or that it is in another network
  // namespace, so waking a dead rank from a full buffer takes all the tries below.
  const auto send_from_new_socket = [&] {
    const fd made(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    return made.valid() && (send_byte(made.get()) || errno == EAGAIN);
  };
  // Retries, because without a descriptor, or in another network namespace than its own socket's,
  // this rank has no new socket, and ranks that were woken are reading. But some may never read,
  // and their names may come from another rank, which must not hold this one up.
  constexpr unsigned max_tries = 1000;
  bool new_one_tried = false;
  bool had_room = false;  // before it was sent: then EAGAIN is the receiver's
  for (unsigned tries = 0; tries < max_tries && !send_byte(socket_.get()); ++tries) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != ENOBUFS && errno != ENOMEM) return;
    if (errno == EAGAIN && had_room) return;
    if (errno == EAGAIN && !std::exchange(new_one_tried, true) && send_from_new_socket()) return;
    had_room = has_send_room(socket_.get());
    ::sched_yield();
  }
}

}  // namespace am::detail::base
