#include <transports/ucx/channel.hpp>

#include <libam/base/settings.hpp>

#include <utility>

namespace am::detail::ucx {

channel::channel(const seam::transport_context& context, am_rank to, peers& all_peers,
                 channel_manager& manager, engine& ucx)
    : plain_port(to, ucx_caps),
      frames_out_(account_, context.settings.credits, full_frame_bytes, context.rank,
                  ucx.payloads()),
      pair(*this, manager, frames_out_),
      ep(ucx, pair),
      out(ucx, ep, pair, frames_out_, all_peers, manager),
      in(context, ucx, pair, account_, frames_out_, out, all_peers, manager),
      bulk(ep, pair, account_, frames_out_, out, all_peers, manager, context.arrivals) {
  account_.raise_limit(context.settings.credits);
}

void channel::send_hello(std::span<const std::byte> address) {
  if (!std::exchange(hello_sent_, true)) out.send_control(kind::hello, address);
}

// ---- messages -----------------------------------------------------------------------------------

void channel::send(std::uint32_t handler, am_word w0, am_word w1, am_word w2, am_word w3) noexcept {
  out.on_message_added(frames_out_.request(handler, w0, w1, w2, w3));
}

am_status channel::send_medium(std::uint32_t handler, const am_word* words, const void* data,
                               std::size_t bytes) noexcept {
  if (out.is_short_of_room()) return AM_AGAIN_PAYLOAD;
  out.on_message_added(frames_out_.medium(handler, words, data, bytes));
  return AM_OK;
}

am_status channel::send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                                  std::size_t bytes, seam::answer_place room) noexcept {
  if (bytes != 0 && out.is_short_of_room()) return AM_AGAIN_PAYLOAD;
  out.on_message_added(frames_out_.request_with_room(handler, words, data, bytes, room.bytes));
  return AM_OK;
}

void channel::send_notice(std::uint32_t handler, const am_word* words, void* where,
                          std::size_t bytes) noexcept {
  out.on_message_added(frames_out_.notice(handler, words, where, bytes));
}

// For a caller that only tries and never polls.
void channel::refresh_credits() noexcept {
  out.flush();
  out.progress_ucx();
  in.take_credits();
}

// ---- the end ------------------------------------------------------------------------------------

void channel::fail_pending(seam::failure_sink& sink) noexcept {
  pair.end();
  frames_out_.fail_pending(sink, peer, pair.has_been_open());
  bulk.fail_pending(sink.has_died(peer));
}

void channel::retire_peer() noexcept {
  bulk.retire_peer();
  pair.end();
}

void channel::release_ucx() noexcept {
  in.release_ucx();
  bulk.release_ucx();
}

std::string channel::describe_peer() const {
  switch (pair.current_state()) {
    case state::connecting: return "it has not answered yet";
    case state::open:
      return out.is_empty() ? "its route is open" : "its route accepts no more data";
    case state::left: return "it has left";
    case state::lost: return "its route is lost";
  }
  return {};
}

}  // namespace am::detail::ucx
