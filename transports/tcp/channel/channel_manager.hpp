// The transport, as its channels know it: what they report to it about their sockets.
#pragma once

#include <libam/base/fd.hpp>
#include <libam/packed/loss_queue.hpp>

#include <string_view>

namespace am::detail::tcp {

class channel;

class channel_manager {
 public:
  // Input is buffered in the channel for which no event of the socket will come.
  virtual void on_input(channel& one) noexcept = 0;
  // The socket takes no more, or takes more again: the channel wants the event that the socket is
  // writable, or not. At that event resume_sending is due.
  virtual void set_write_interest(channel& one, bool blocked) noexcept = 0;
  virtual void on_lost(channel& one, std::string_view why, packed::loss_cause of) noexcept = 0;
  virtual void close(base::fd socket) noexcept = 0;

 protected:
  ~channel_manager() = default;
};

}  // namespace am::detail::tcp
