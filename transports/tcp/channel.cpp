// When messages leave, and what a call to the channel does with its parts, in order.
#include <libam/base/settings.hpp>
#include <transports/tcp/channel.hpp>

#include <utility>

namespace am::detail::tcp {

namespace {
wire::payload_sizes payloads_of(const seam::host& host) noexcept {
  return wire::payload_sizes(host.settings.max_medium);
}
}  // namespace

channel::channel(const seam::host& host, am_rank to, peers& all, channel_keeper& keeper,
                 bad_network* faults)
    : plain_port(to, tcp_can),
      peers_(all),
      frames_out_(account_, host.settings.credits, wire::full_frame_bytes, std::nullopt,
                  payloads_of(host)),
      connection_(*this, frames_out_, keeper, faults),
      sending_(*this, connection_, frames_out_, all),
      puts_(connection_, account_, frames_out_, sending_, all, host.arrivals),
      receiving_(connection_, host.arrivals, to, account_, frames_out_, all, payloads_of(host)) {
  account_.raise_limit(host.settings.credits);
}

void channel::open(line established) noexcept {
  connection_.open(std::move(established));
  go_on_sending();
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
  send_if(frames_out_.asking(handler, words, data, bytes, room.bytes));
  return AM_OK;
}

void channel::send_bulk(std::uint32_t handler, const am_word* words, void* where,
                        std::size_t bytes) noexcept {
  send_if(frames_out_.notice(handler, words, where, bytes));
}

// That may have brought puts on their way.
bool channel::is_short_of_room() noexcept {
  const bool is_short = sending_.is_short_of_room();
  puts_.go_on();
  return is_short;
}

void channel::send_if(bool now) noexcept {
  if (now)
    send_frame();
  else
    peers_.has_open_frame(*this);
}

void channel::flush() noexcept {
  if (connection_.is_open() && frames_out_.has_messages()) send_frame();
}

void channel::publish() noexcept {
  if (connection_.is_open() && frames_out_.owes()) send_frame();
}

// When what has come is handled.
void channel::answer() noexcept {
  if (connection_.is_open() && frames_out_.has_to_answer()) send_frame();
  if (frames_out_.owes()) peers_.has_debt(*this);
}

void channel::say_goodbye() noexcept {
  if (!connection_.is_open()) return;
  frames_out_.goodbye();
  send_frame();
}

// ---- frames and bulk data -----------------------------------------------------------------------

// With the room that a frame of a caller has found who never polls, puts go on: the socket gives no
// sign of it any more.
void channel::send_frame() noexcept {
  sending_.send_frame();
  puts_.go_on();
}

void channel::go_on_sending() noexcept {
  if (connection_.is_open()) sending_.send_waiting();
  puts_.go_on();
}

unsigned channel::take(unsigned budget) noexcept {
  unsigned left = budget;
  receiving_.begin_call();
  while (receiving_.take(left)) send_frame();
  answer();
  return budget - left;
}

// For one who only tries and never polls.
void channel::refresh() noexcept {
  if (sending_.waits()) go_on_sending();
  flush();
  receiving_.begin_call();
  receiving_.take_counters();
}

// ---- the end ------------------------------------------------------------------------------------

// The notices of puts that wait have not been sent.
void channel::give_up(seam::mourner& all) noexcept {
  puts_.give_up();
  connection_.end();
  frames_out_.give_up(all, peer, connection_.has_been_open());
}

}  // namespace am::detail::tcp
