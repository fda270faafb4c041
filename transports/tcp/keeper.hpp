// Who looks after the sockets of a rank's channels.
#pragma once

#include <libam/base/fd.hpp>
#include <libam/packed/losses.hpp>

#include <string_view>

namespace am::detail::tcp {

class channel;

class channel_keeper {
 public:
  // Messages have come that no sign of its socket tells of any more.
  virtual void has_input(channel& one) noexcept = 0;
  // The socket takes no more, or it does again: then go_on_sending is due.
  virtual void waits_for_socket(channel& one, bool waits) noexcept = 0;
  virtual void is_lost(channel& one, std::string_view why, packed::sign of) noexcept = 0;
  virtual void close(base::fd socket) noexcept = 0;

 protected:
  ~channel_keeper() = default;
};

}  // namespace am::detail::tcp
