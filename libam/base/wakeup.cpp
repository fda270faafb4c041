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

// Datagrams that were sent and not yet read count against the sender's buffer. If that is not full,
// the receiver's queue is: it has a wake-up pending.
bool own_send_buffer_is_full(int socket) noexcept {
  int unread = 0;
  int room = 0;
  socklen_t size = sizeof room;
  return ::ioctl(socket, SIOCOUTQ, &unread) == 0 &&
         ::getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &room, &size) == 0 && unread > room / 2;
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
  // Retries, because ranks that were woken are reading. But some may never read, and their names
  // may come from another rank, which must not hold this one up.
  constexpr unsigned max_tries = 1000;
  for (unsigned tries = 0; !send_byte(socket_.get()); ++tries) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != ENOBUFS && errno != ENOMEM) return;
    if (errno == EAGAIN && !own_send_buffer_is_full(socket_.get())) return;
    if (tries == max_tries) {
      const fd fresh(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));  // has its own send buffer
      if (fresh.valid()) (void)send_byte(fresh.get());
      return;
    }
    ::sched_yield();
  }
}

}  // namespace am::detail::base
