// A bell wakes a rank that sleeps: a datagram socket with a name of its own. Any bell rings any
// other by that name, so a rank holds one descriptor however many peers it has. Names live where
// the sockets were made, not where they are used, so bells that one process made reach each other
// from whatever namespaces they were taken to. docs/waiting.md says why it is no eventfd.
#pragma once

#include <am/types.h>
#include <libam/base/abstract_socket.hpp>
#include <libam/base/fd.hpp>

namespace am::detail::base {

class bell {
 public:
  // What others ring it by.
  using name = socket_name;
  static constexpr name nobody = no_socket;

  // The socket of a new bell.
  static am_status create(fd& socket);

  // Without a socket it has no name and rings nobody.
  bell() noexcept = default;
  explicit bell(fd socket) noexcept;

  [[nodiscard]] bool valid() const noexcept { return socket_.valid(); }
  [[nodiscard]] name own_name() const noexcept { return name_; }

  // Becomes readable when it rings, until silence().
  [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }
  void silence() const noexcept;

  // Never waits for whoever is rung. Nothing happens if there is no such bell any more.
  void ring(name other) const noexcept;

 private:
  fd socket_;
  name name_ = nobody;
};

}  // namespace am::detail::base
