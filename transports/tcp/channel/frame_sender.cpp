#include <transports/tcp/channel/frame_sender.hpp>

#include <transports/tcp/channel/channel.hpp>

#include <utility>

namespace am::detail::tcp {

namespace {
// Payload that waits for the socket; a call with more waits, too.
constexpr std::size_t max_queued_payload = std::size_t{256} * 1024;
}  // namespace

void frame_sender::schedule_send() noexcept { peers_.note_open_frame(channel_); }

// A caller that fills frames and never polls does not learn of room: a full frame tries the socket.
void frame_sender::send_frame() noexcept {
  const bool tries_socket = !blocked_ || frames_out_.is_full();
  const std::span<const std::byte> frame = frame_to_send();
  if (connection_.is_open() && tries_socket)
    send_behind_waiting(frame);
  else if (!send_failed_)
    queue_.append_copy(frame);
}

std::span<const std::byte> frame_sender::frame_to_send() noexcept {
  const std::span<const std::byte> frame = frames_out_.close();
  network_fault_injector* const injector = connection_.fault_injector();
  if (injector == nullptr || !connection_.is_open()) return frame;
  const std::span<const std::byte> altered = injector->alter(frame, connection_.link());
  return altered.empty() ? frames_out_.close() : altered;
}

// After a failed send there may still be something to read, and then the end of the connection.
void frame_sender::send_behind_waiting(std::span<const std::byte> frame) noexcept {
  if (send_failed_) return;
  send_failed_ = queue_.send(connection_.link(), frame) != 0;
  if (send_failed_) queue_ = {};
  if (short_of_room_ && queue_.copied_bytes() <= max_queued_payload) peers_.note_credits_or_room();
  const bool blocked = !is_flushed();
  if (std::exchange(blocked_, blocked) != blocked) connection_.set_write_interest(blocked);
}

bool frame_sender::is_short_of_room() noexcept {
  if (queue_.copied_bytes() > max_queued_payload && connection_.is_open()) send_waiting();
  short_of_room_ = queue_.copied_bytes() > max_queued_payload;
  return short_of_room_;
}

}  // namespace am::detail::tcp
