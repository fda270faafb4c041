// Frames on their way into the socket. It knows the writer that fills them, what waits for the
// socket behind each other, and whether that takes more.
#pragma once

#include <libam/packed/frame_writer.hpp>
#include <transports/tcp/connection.hpp>
#include <transports/tcp/output.hpp>

#include <cstddef>
#include <span>

namespace am::detail::tcp {

using peers = packed::peers<channel>;

class sending {
 public:
  sending(channel& of, connection& by, packed::frame_writer& frames, peers& all) noexcept
      : channel_(of), connection_(by), frames_out_(frames), peers_(all) {}

  // What is to leave at the next poll, at the latest.
  void leave_later() noexcept;
  // The open frame is finished, and leaves as soon as the socket takes it, behind all that waits.
  void send_frame() noexcept;
  // The same, but it stays until something else is sent.
  void keep_frame() noexcept { waiting_bytes_.keep(frame_to_send()); }
  // All that waits.
  void send_waiting() noexcept { send_on({}); }

  // The socket takes more.
  [[nodiscard]] bool may_send() const noexcept { return connection_.is_open() && !waits_; }
  [[nodiscard]] bool waits() const noexcept { return waits_; }
  // The peer takes nothing any more.
  [[nodiscard]] bool is_in_vain() const noexcept { return deaf_; }
  [[nodiscard]] bool is_flushed() const noexcept {
    return waiting_bytes_.empty() && !connection_.line().holds();
  }
  // Payload would have to wait; then the peers have news as soon as it would not.
  [[nodiscard]] bool is_short_of_room() noexcept;

  // Bytes of bulk data join what waits here, behind the frame that tells of them.
  [[nodiscard]] output& bulk() noexcept { return waiting_bytes_; }

 private:
  void send_on(std::span<const std::byte> frame) noexcept;
  std::span<const std::byte> frame_to_send() noexcept;

  channel& channel_;
  connection& connection_;
  packed::frame_writer& frames_out_;
  peers& peers_;
  output waiting_bytes_;
  bool waits_ = false;  // for the socket
  bool deaf_ = false;
  bool short_of_room_ = false;
};

}  // namespace am::detail::tcp
