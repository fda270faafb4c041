// The sending half: what joins the open frame, and when that leaves.
#include <libam/base/settings.hpp>
#include <transports/tcp/channel.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::tcp {

namespace {

// Payload that waits for the socket; a call with more waits, too.
constexpr std::size_t most_kept_payload = std::size_t{256} * 1024;

wire::message make(wire::message_kind kind, std::uint32_t handler, const am_word* words) noexcept {
  wire::message one{};
  one.kind = kind;
  one.handler = static_cast<std::uint16_t>(handler);
  std::copy_n(words, AM_WORDS, one.words);
  return one;
}

}  // namespace

channel::channel(const seam::host& host, am_rank to, channel_keeper& keeper, bad_network* faults)
    : port(to),
      arrivals_(host.arrivals),
      keeper_(keeper),
      faults_(faults),
      unanswered_(host.settings.credits),
      silent_(host.settings.credits) {
  credits.raise_limit(host.settings.credits);
}

// ---- requests -----------------------------------------------------------------------------------

void channel::send(std::uint32_t handler, am_word w0, am_word w1, am_word w2, am_word w3) noexcept {
  wire::message one;  // what a request does not have is not written
  one.kind = wire::message_kind::request;
  one.handler = static_cast<std::uint16_t>(handler);
  one.words[0] = w0;
  one.words[1] = w1;
  one.words[2] = w2;
  one.words[3] = w3;
  one.reason = 0;
  unanswered_.add(handler, one.words);
  request(one);
}

am_status channel::send_medium(std::uint32_t handler, const am_word* words, const void* data,
                               std::size_t bytes) noexcept {
  if (output_.bytes() > most_kept_payload) go_on_sending();
  short_of_room_ = output_.bytes() > most_kept_payload;
  if (short_of_room_) return AM_AGAIN_PAYLOAD;
  unanswered_.add(handler, words, {static_cast<const std::byte*>(data), bytes});
  wire::message one = make(wire::message_kind::medium, handler, words);
  one.data = static_cast<const std::byte*>(data);
  one.bytes = bytes;
  request(one);
  return AM_OK;
}

void channel::send_bulk(std::uint32_t handler, const am_word* words, void* where,
                        std::size_t bytes) noexcept {
  unanswered_.add(handler, words);
  wire::message one = make(wire::message_kind::notice, handler, words);
  one.where = reinterpret_cast<std::uintptr_t>(where);
  one.bytes = bytes;
  request(one);
}

// At once when nothing else is unanswered: this one's answer would bring nothing along. Otherwise
// the frame waits for company, at the longest until the next poll.
void channel::request(wire::message& one) noexcept {
  one.hungry = credits.free() == 0;
  add(one);
  if (credits.on_their_way() == 1) flush();
}

// ---- answers: they leave when what has come is handled ------------------------------------------

am_status channel::reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                         am_word w3) noexcept {
  const am_word words[] = {w0, w1, w2, w3};
  add(make(wire::message_kind::reply, handler, words));
  return AM_OK;
}

void channel::reply_at(std::uint32_t handler, const am_word* words, void* where) noexcept {
  wire::message one = make(wire::message_kind::placed_reply, handler, words);
  one.where = reinterpret_cast<std::uintptr_t>(where);
  add(one);
}

void channel::give_back(am_status reason, std::uint32_t handler, const am_word* words) noexcept {
  wire::message one = make(wire::message_kind::returned, handler, words);
  one.reason = reason;
  add(one);
}

void channel::say_goodbye() noexcept {
  if (state_ != state::open) return;
  wire::message one{};
  one.kind = wire::message_kind::goodbye;
  add(one);
  flush();
}

// ---- frames -------------------------------------------------------------------------------------

void channel::add(const wire::message& one) noexcept {
  if (state_ == state::lost) return;
  packer_.add(one);
  if (packer_.full())
    close_frame();
  else if (!listed)
    keeper_.has_open_frame(*this);
}

void channel::flush() noexcept {
  if (state_ == state::open && packer_.has_messages()) close_frame();
}

void channel::publish() noexcept {
  if (state_ == state::open && silent_.owes()) close_frame();
}

std::span<const std::byte> channel::closed_frame() noexcept {
  silent_.published();
  hungry_ = false;
  const std::span<const std::byte> frame = packer_.close(silent_.value());
  if (faults_ == nullptr || state_ != state::open) return frame;
  const std::span<const std::byte> carried = faults_->carry(frame, line_);
  return carried.empty() ? packer_.close(silent_.value()) : carried;
}

// Who fills frames without ever polling hears of no room: a full one asks for itself.
void channel::close_frame() noexcept {
  const bool asks = !waiting_ || packer_.full();
  const std::span<const std::byte> frame = closed_frame();
  if (state_ == state::open && asks)
    send(frame);
  else if (!deaf_)
    output_.keep(frame);
}

void channel::go_on_sending() noexcept {
  if (state_ == state::open) send({});
  ship_on();
}

// Where nothing can be sent any more there may still be something to read, and then an end.
void channel::send(std::span<const std::byte> frame) noexcept {
  if (deaf_) return;
  deaf_ = output_.send(line_, frame) != 0;
  if (deaf_) output_ = {};
  if (short_of_room_ && output_.bytes() <= most_kept_payload) keeper_.has_news();
  const bool waits = !output_.empty() || line_.holds();
  if (std::exchange(waiting_, waits) != waits) keeper_.waits_for_socket(*this, waits);
}

}  // namespace am::detail::tcp
