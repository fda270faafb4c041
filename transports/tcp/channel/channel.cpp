// When messages are sent, and the order in which a call to the channel uses its parts.
#include <transports/tcp/channel/channel.hpp>

#include <libam/base/settings.hpp>

#include <utility>

namespace am::detail::tcp {

namespace {
wire::payload_sizes payloads_of(const seam::transport_context& context) noexcept {
  return wire::payload_sizes(context.settings.max_medium);
}
}  // namespace

channel::channel(const seam::transport_context& context, am_rank to, peers& all_peers,
                 channel_manager& manager, network_fault_injector* injector)
    : plain_port(to, tcp_caps),
      peers_(all_peers),
      frames_out_(account_, context.settings.credits, wire::full_frame_bytes, std::nullopt,
                  payloads_of(context)),
      connection_(*this, frames_out_, manager, injector),
      frame_sender_(*this, connection_, frames_out_, all_peers),
      put_sender_(connection_, account_, frames_out_, frame_sender_, all_peers, context.arrivals),
      frame_receiver_(connection_, context.arrivals, to, account_, frames_out_, all_peers,
                      payloads_of(context)) {
  account_.raise_limit(context.settings.credits);
}

void channel::open(tcp_link established) noexcept {
  connection_.open(std::move(established));
  resume_sending();
  flush();
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
  send_if(frames_out_.request_with_room(handler, words, data, bytes, room.bytes));
  return AM_OK;
}

void channel::send_notice(std::uint32_t handler, const am_word* words, void* where,
                          std::size_t bytes) noexcept {
  send_if(frames_out_.notice(handler, words, where, bytes));
}

// Sending may have started puts.
bool channel::is_short_of_room() noexcept {
  const bool is_short = frame_sender_.is_short_of_room();
  put_sender_.advance();
  return is_short;
}

void channel::send_if(bool now) noexcept {
  if (now)
    send_frame();
  else
    peers_.note_open_frame(*this);
}

void channel::flush() noexcept {
  if (connection_.is_open() && frames_out_.has_messages()) send_frame();
}

void channel::publish() noexcept {
  if (connection_.is_open() && frames_out_.has_unpublished()) send_frame();
}

// Called when all that has come is handled.
void channel::send_answers() noexcept {
  if (connection_.is_open() && frames_out_.has_to_answer()) send_frame();
}

void channel::send_goodbye() noexcept {
  if (!connection_.is_open()) return;
  frames_out_.goodbye();
  send_frame();
}

// ---- frames and bulk data -----------------------------------------------------------------------

// A frame may find room in the socket where the caller never polls. Puts go on with that room here,
// because no event of the socket will report it.
void channel::send_frame() noexcept {
  frame_sender_.send_frame();
  put_sender_.advance();
}

void channel::resume_sending() noexcept {
  if (connection_.is_open()) frame_sender_.send_waiting();
  put_sender_.advance();
}

unsigned channel::take_messages(unsigned budget, answers leave) noexcept {
  unsigned left = budget;
  frame_receiver_.begin_call();
  while (frame_receiver_.take_messages(left)) send_frame();
  if (leave == answers::now)
    send_answers();
  else if (frames_out_.has_to_answer())
    peers_.note_open_frame(*this);
  if (frames_out_.has_unpublished()) peers_.note_unpublished(*this);
  return budget - left;
}

bool channel::find_message() noexcept {
  if (frame_receiver_.has_message()) return true;
  frame_receiver_.take_credits();
  return frame_receiver_.has_message();
}

// For a caller that only tries and never polls.
void channel::refresh_credits() noexcept {
  if (frame_sender_.is_blocked()) resume_sending();
  flush();
  frame_receiver_.take_credits();
}

// ---- the end ------------------------------------------------------------------------------------

// The notices of puts that wait have not been sent.
void channel::fail_pending(seam::failure_sink& sink) noexcept {
  put_sender_.fail_pending();
  connection_.end();
  frames_out_.fail_pending(sink, peer, connection_.has_been_open());
}

}  // namespace am::detail::tcp
