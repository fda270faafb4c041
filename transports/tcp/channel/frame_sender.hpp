// Sends frames. It knows the writer that fills them, the queue of what waits for the socket, and
// whether the socket takes more.
#pragma once

#include <libam/packed/frame_writer.hpp>
#include <transports/tcp/channel/connection.hpp>
#include <transports/tcp/channel/send_queue.hpp>

#include <cstddef>
#include <span>

namespace am::detail::tcp {

using peers = packed::peers<channel>;

class frame_sender {
 public:
  frame_sender(channel& channel, connection& connection, packed::frame_writer& frames,
               peers& all_peers) noexcept
      : channel_(channel), connection_(connection), frames_out_(frames), peers_(all_peers) {}

  // The open frame is sent by the next poll, at the latest.
  void schedule_send() noexcept;
  // Closes the open frame, and sends it as soon as the socket takes it, behind all that waits.
  void send_frame() noexcept;
  // The same, but the frame stays until something else is sent.
  void queue_frame() noexcept { queue_.append_copy(frame_to_send()); }
  // Sends all that waits.
  void send_waiting() noexcept { send_behind_waiting({}); }

  // The socket takes more.
  [[nodiscard]] bool may_send() const noexcept { return connection_.is_open() && !blocked_; }
  [[nodiscard]] bool is_blocked() const noexcept { return blocked_; }
  // A send has failed for good: the peer takes nothing any more.
  [[nodiscard]] bool has_send_failed() const noexcept { return send_failed_; }
  [[nodiscard]] bool is_flushed() const noexcept {
    return queue_.empty() && !connection_.link().has_unsent();
  }
  // Payload would have to wait; peers_ is notified as soon as it would not.
  [[nodiscard]] bool is_short_of_room() noexcept;

  // Bulk data is queued here, behind the frame that announces it.
  [[nodiscard]] send_queue& queue() noexcept { return queue_; }

 private:
  void send_behind_waiting(std::span<const std::byte> frame) noexcept;
  std::span<const std::byte> frame_to_send() noexcept;

  channel& channel_;
  connection& connection_;
  packed::frame_writer& frames_out_;
  peers& peers_;
  send_queue queue_;
  bool blocked_ = false;  // until the socket takes more
  bool send_failed_ = false;
  bool short_of_room_ = false;
};

}  // namespace am::detail::tcp
