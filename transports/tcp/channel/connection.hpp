// The one connection of a pair: its state, and its end, which is for good. It knows the link, and
// that no frame leaves after the end, but nothing of what the frames contain.
#pragma once

#include <libam/packed/frame_writer.hpp>
#include <libam/packed/peers.hpp>
#include <transports/tcp/channel/channel_manager.hpp>
#include <transports/tcp/link/network_fault_injector.hpp>
#include <transports/tcp/link/tcp_link.hpp>

#include <sys/types.h>

#include <string>
#include <string_view>

namespace am::detail::tcp {

class connection {
 public:
  using state = packed::state;

  // `injector`: null for none.
  connection(channel& channel, packed::frame_writer& frames, channel_manager& manager,
             network_fault_injector* injector) noexcept
      : channel_(channel), frames_out_(frames), manager_(manager), fault_injector_(injector) {}

  [[nodiscard]] state current_state() const noexcept { return state_; }
  [[nodiscard]] bool is_open() const noexcept { return state_ == state::open; }
  [[nodiscard]] bool has_been_open() const noexcept { return has_been_open_; }
  [[nodiscard]] tcp_link& link() noexcept { return link_; }
  [[nodiscard]] const tcp_link& link() const noexcept { return link_; }
  [[nodiscard]] network_fault_injector* fault_injector() const noexcept { return fault_injector_; }

  // The connection is established, and the peer has proved itself.
  void open(tcp_link established) noexcept;
  // Evaluates what a read has returned: true if bytes have come. An end or an error ends the
  // connection.
  bool on_read_result(ssize_t got) noexcept;
  void lose(std::string_view why, packed::loss_cause of) noexcept;
  void on_violation(std::string_view why) noexcept { lose(why, packed::loss_cause::error); }
  // The peer has said goodbye: the connection ends in good order.
  void mark_left() noexcept;
  // Closes the connection without a report: nothing is sent or received any more, and the state is
  // lost.
  void end() noexcept;

  // The socket takes no more, or takes more again.
  void set_write_interest(bool blocked) noexcept { manager_.set_write_interest(channel_, blocked); }
  // Input is buffered here for which no event of the socket will come.
  void report_input() noexcept { manager_.on_input(channel_); }

  [[nodiscard]] std::string describe(bool blocked) const;

 private:
  channel& channel_;
  packed::frame_writer& frames_out_;
  channel_manager& manager_;
  network_fault_injector* const fault_injector_;
  state state_ = state::connecting;
  bool has_been_open_ = false;
  tcp_link link_;
};

}  // namespace am::detail::tcp
