// The sending half: messages into the open frame, and frames on their way into the socket.
#include <libam/base/settings.hpp>
#include <transports/tcp/channel.hpp>

#include <utility>

namespace am::detail::tcp {

namespace {
// Payload that waits for the socket; a call with more waits, too.
constexpr std::size_t most_kept_payload = std::size_t{256} * 1024;

wire::payload_sizes payloads_of(const seam::host& host) noexcept {
  return wire::payload_sizes(host.settings.max_medium);
}
}  // namespace

channel::channel(const seam::host& host, am_rank to, peers& all, channel_keeper& keeper,
                 bad_network* faults)
    : plain_port(to, tcp_can),
      frames_out_(account_, host.settings.credits, wire::full_frame_bytes, std::nullopt,
                  payloads_of(host)),
      peers_(all),
      keeper_(keeper),
      faults_(faults),
      arrivals_(host.arrivals),
      frames_in_(host.arrivals, to, account_, frames_out_, std::nullopt, payloads_of(host)),
      input_(payloads_of(host)) {
  account_.raise_limit(host.settings.credits);
}

// ---- messages -----------------------------------------------------------------------------------

void channel::send(std::uint32_t handler, am_word w0, am_word w1, am_word w2, am_word w3) noexcept {
  send_if(frames_out_.request(handler, w0, w1, w2, w3));
}

am_status channel::send_medium(std::uint32_t handler, const am_word* words, const void* data,
                               std::size_t bytes) noexcept {
  if (is_short_of_room()) return AM_AGAIN_PAYLOAD;
  send_if(frames_out_.medium(handler, words, data, bytes));
  return AM_OK;
}

am_status channel::send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                                  std::size_t bytes, seam::answer_place room) noexcept {
  if (bytes != 0 && is_short_of_room()) return AM_AGAIN_PAYLOAD;
  send_if(frames_out_.asking(handler, words, data, bytes, room.bytes));
  return AM_OK;
}

void channel::send_bulk(std::uint32_t handler, const am_word* words, void* where,
                        std::size_t bytes) noexcept {
  send_if(frames_out_.notice(handler, words, where, bytes));
}

void channel::send_if(bool now) noexcept {
  if (now)
    send_frame();
  else
    peers_.has_open_frame(*this);
}

void channel::flush() noexcept {
  if (state_ == state::open && frames_out_.has_messages()) send_frame();
}

void channel::publish() noexcept {
  if (state_ == state::open && frames_out_.owes()) send_frame();
}

// When what has come is handled.
void channel::answer() noexcept {
  if (state_ == state::open && frames_out_.has_to_answer()) send_frame();
  if (frames_out_.owes()) peers_.has_debt(*this);
}

void channel::say_goodbye() noexcept {
  if (state_ != state::open) return;
  frames_out_.goodbye();
  send_frame();
}

// ---- frames -------------------------------------------------------------------------------------

// Who fills frames without ever polling hears of no room: a full one asks for itself, and for the
// put that waits for room: where some was found, the socket gives no sign of it any more.
void channel::send_frame() noexcept {
  const bool asks = !waiting_ || frames_out_.is_full();
  const std::span<const std::byte> frame = frame_to_send();
  if (state_ == state::open && asks) {
    send_on(frame);
    put_on();
  } else if (!deaf_) {
    output_.keep(frame);
  }
}

std::span<const std::byte> channel::frame_to_send() noexcept {
  const std::span<const std::byte> frame = frames_out_.close();
  if (faults_ == nullptr || state_ != state::open) return frame;
  const std::span<const std::byte> carried = faults_->carry(frame, line_);
  return carried.empty() ? frames_out_.close() : carried;
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
  if (short_of_room_ && output_.bytes() <= most_kept_payload) peers_.has_news();
  const bool waits = !output_.empty() || line_.holds();
  if (std::exchange(waiting_, waits) != waits) keeper_.waits_for_socket(*this, waits);
}

bool channel::is_short_of_room() noexcept {
  if (output_.bytes() > most_kept_payload) go_on_sending();
  short_of_room_ = output_.bytes() > most_kept_payload;
  return short_of_room_;
}

}  // namespace am::detail::tcp
