#include <transports/tcp/channel.hpp>

#include <utility>

namespace am::detail::tcp {

namespace {
// Payload that waits for the socket; a call with more waits, too.
constexpr std::size_t most_kept_payload = std::size_t{256} * 1024;
}  // namespace

void sending::leave_later() noexcept { peers_.has_open_frame(channel_); }

// Who fills frames without ever polling hears of no room: a full one asks for itself.
void sending::send_frame() noexcept {
  const bool asks = !waits_ || frames_out_.is_full();
  const std::span<const std::byte> frame = frame_to_send();
  if (connection_.is_open() && asks)
    send_on(frame);
  else if (!deaf_)
    waiting_bytes_.keep(frame);
}

std::span<const std::byte> sending::frame_to_send() noexcept {
  const std::span<const std::byte> frame = frames_out_.close();
  bad_network* const faults = connection_.faults();
  if (faults == nullptr || !connection_.is_open()) return frame;
  const std::span<const std::byte> carried = faults->carry(frame, connection_.line());
  return carried.empty() ? frames_out_.close() : carried;
}

// Where nothing can be sent any more there may still be something to read, and then an end.
void sending::send_on(std::span<const std::byte> frame) noexcept {
  if (deaf_) return;
  deaf_ = waiting_bytes_.send(connection_.line(), frame) != 0;
  if (deaf_) waiting_bytes_ = {};
  if (short_of_room_ && waiting_bytes_.kept() <= most_kept_payload) peers_.has_news();
  const bool waits = !is_flushed();
  if (std::exchange(waits_, waits) != waits) connection_.waits_for_socket(waits);
}

bool sending::is_short_of_room() noexcept {
  if (waiting_bytes_.kept() > most_kept_payload && connection_.is_open()) send_waiting();
  short_of_room_ = waiting_bytes_.kept() > most_kept_payload;
  return short_of_room_;
}

}  // namespace am::detail::tcp
