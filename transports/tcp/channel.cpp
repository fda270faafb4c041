// The sending half: frames on their way into the socket.
#include <transports/tcp/channel.hpp>

#include <utility>

namespace am::detail::tcp {

namespace {
// Payload that waits for the socket; a call with more waits, too.
constexpr std::size_t most_kept_payload = std::size_t{256} * 1024;
}  // namespace

channel::channel(const seam::host& host, am_rank to, channel_keeper& keeper, bad_network* faults)
    : packed::channel(host, to, tcp_can, keeper, wire::full_frame_bytes, check::by_sum),
      sockets_(keeper),
      faults_(faults) {}

bool channel::short_of_room() noexcept {
  if (output_.bytes() > most_kept_payload) go_on_sending();
  short_of_room_ = output_.bytes() > most_kept_payload;
  return short_of_room_;
}

std::span<const std::byte> channel::frame_to_send() noexcept {
  const std::span<const std::byte> frame = closed_frame();
  if (faults_ == nullptr || state_ != state::open) return frame;
  const std::span<const std::byte> carried = faults_->carry(frame, line_);
  return carried.empty() ? closed_frame() : carried;
}

// Who fills frames without ever polling hears of no room: a full one asks for itself, and for the
// put that waits for room: where some was found, the socket gives no sign of it any more.
void channel::close_frame() noexcept {
  const bool asks = !waiting_ || packer_.full();
  const std::span<const std::byte> frame = frame_to_send();
  if (state_ == state::open && asks) {
    send_on(frame);
    put_on();
  } else if (!deaf_) {
    output_.keep(frame);
  }
}

void channel::go_on_sending() noexcept {
  if (state_ == state::open) send_on({});
  put_on();
}

// Where nothing can be sent any more there may still be something to read, and then an end.
void channel::send_on(std::span<const std::byte> frame) noexcept {
  if (deaf_) return;
  deaf_ = output_.send(line_, frame) != 0;
  if (deaf_) output_ = {};
  if (short_of_room_ && output_.bytes() <= most_kept_payload) keeper_.has_news();
  const bool waits = !output_.empty() || line_.holds();
  if (std::exchange(waiting_, waits) != waits) sockets_.waits_for_socket(*this, waits);
}

}  // namespace am::detail::tcp
