// The one connection of a pair: how it stands, and its end, which is for good. It knows the line,
// and that no frame leaves behind the end; nothing of what the frames say.
#pragma once

#include <libam/packed/frame_writer.hpp>
#include <libam/packed/peers.hpp>
#include <transports/tcp/bad_network.hpp>
#include <transports/tcp/keeper.hpp>
#include <transports/tcp/line.hpp>

#include <sys/types.h>

#include <string>
#include <string_view>

namespace am::detail::tcp {

class connection {
 public:
  using state = packed::state;

  // `faults`: null for a network as good as it is.
  connection(channel& of, packed::frame_writer& frames, channel_keeper& keeper,
             bad_network* faults) noexcept
      : channel_(of), frames_out_(frames), keeper_(keeper), faults_(faults) {}

  [[nodiscard]] state at() const noexcept { return state_; }
  [[nodiscard]] bool is_open() const noexcept { return state_ == state::open; }
  [[nodiscard]] bool has_been_open() const noexcept { return has_been_open_; }
  [[nodiscard]] tcp::line& line() noexcept { return line_; }
  [[nodiscard]] const tcp::line& line() const noexcept { return line_; }
  [[nodiscard]] bad_network* faults() const noexcept { return faults_; }

  // It stands, and the peer is who it should be.
  void open(tcp::line established) noexcept;
  // What a read has said: has something come? An end is one.
  bool has_come(ssize_t got) noexcept;
  void lose(std::string_view why, packed::sign of = packed::sign::of_trouble) noexcept;
  // In good order.
  void leave() noexcept;
  // Nothing more comes from there or goes there, and nobody need be told: the state is lost.
  void end() noexcept;

  // The socket takes no more, or it does again.
  void waits_for_socket(bool waits) noexcept { keeper_.waits_for_socket(channel_, waits); }
  // Something has been read that no sign of the socket tells of any more.
  void has_input() noexcept { keeper_.has_input(channel_); }

  [[nodiscard]] std::string about(bool waits) const;

 private:
  channel& channel_;
  packed::frame_writer& frames_out_;
  channel_keeper& keeper_;
  bad_network* const faults_;
  state state_ = state::connecting;
  bool has_been_open_ = false;
  tcp::line line_;
};

}  // namespace am::detail::tcp
