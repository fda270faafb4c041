// A socket by which a sleeping rank is woken: a datagram socket with a name of its own. Any of them
// wakes any other by that name, so a rank has one descriptor however many peers it has. A name
// belongs to the network namespace in which the socket was made, so sockets that one process made
// reach each other from any namespace. docs/waiting.md says why it is no eventfd.
#pragma once

#include <am/types.h>
#include <libam/base/abstract_socket.hpp>
#include <libam/base/fd.hpp>

namespace am::detail::base {

class wakeup {
 public:
  // The name by which others wake it.
  using name = socket_name;
  static constexpr name no_name = no_socket;

  // Makes a socket.
  static am_status create(fd& socket);

  // Without a socket it has no name and cannot wake others.
  wakeup() noexcept = default;
  explicit wakeup(fd socket) noexcept;

  [[nodiscard]] bool valid() const noexcept { return socket_.valid(); }
  [[nodiscard]] name own_name() const noexcept { return name_; }

  // Becomes readable when it is woken, until clear().
  [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }
  void clear() const noexcept;

  // Never waits for the rank that is woken. Does nothing if there is no such socket any more.
  void wake(name other) const noexcept;

 private:
  fd socket_;
  name name_ = no_name;
};

}  // namespace am::detail::base
