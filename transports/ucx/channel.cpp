#include <libam/base/settings.hpp>
#include <transports/ucx/channel.hpp>

#include <utility>

namespace am::detail::ucx {

namespace {
// A fragment of UCX's shared-memory and TCP transports has 8 KiB for both headers and the frame.
constexpr std::size_t full_frame = std::size_t{8} * 1024 - 128;
}  // namespace

channel::channel(const seam::host& host, am_rank to, peers& all, channel_keeper& keeper,
                 engine& ucx)
    : plain_port(to, ucx_can),
      frames_out_(account_, host.settings.credits, full_frame, host.rank, ucx.payloads()),
      pair(*this, keeper, frames_out_),
      way(ucx, pair),
      out(ucx, way, pair, frames_out_, all, keeper),
      in(host, ucx, pair, account_, frames_out_, out, all, keeper),
      bulk(way, pair, account_, frames_out_, out, all, keeper, host.arrivals) {
  account_.raise_limit(host.settings.credits);
}

void channel::greet(std::span<const std::byte> contact) {
  if (!std::exchange(has_greeted_, true)) out.tell(kind::hello, contact);
}

// ---- messages -----------------------------------------------------------------------------------

void channel::send(std::uint32_t handler, am_word w0, am_word w1, am_word w2, am_word w3) noexcept {
  out.has_message(frames_out_.request(handler, w0, w1, w2, w3));
}

am_status channel::send_medium(std::uint32_t handler, const am_word* words, const void* data,
                               std::size_t bytes) noexcept {
  if (out.is_short_of_room()) return AM_AGAIN_PAYLOAD;
  out.has_message(frames_out_.medium(handler, words, data, bytes));
  return AM_OK;
}

am_status channel::send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                                  std::size_t bytes, seam::answer_place room) noexcept {
  if (bytes != 0 && out.is_short_of_room()) return AM_AGAIN_PAYLOAD;
  out.has_message(frames_out_.asking(handler, words, data, bytes, room.bytes));
  return AM_OK;
}

void channel::send_bulk(std::uint32_t handler, const am_word* words, void* where,
                        std::size_t bytes) noexcept {
  out.has_message(frames_out_.notice(handler, words, where, bytes));
}

// For one who only tries and never polls.
void channel::refresh() noexcept {
  out.flush();
  out.let_ucx_go_on();
  in.take_counters();
}

// ---- the end ------------------------------------------------------------------------------------

void channel::give_up(seam::mourner& all) noexcept {
  pair.end();
  frames_out_.give_up(all, peer, pair.has_been_open());
  bulk.give_up(all.has_died(peer));
}

void channel::bury() noexcept {
  bulk.bury();
  pair.end();
}

void channel::let_go() noexcept {
  in.let_go();
  bulk.let_go();
}

std::string channel::about_peer() const {
  switch (pair.at()) {
    case state::connecting: return "it has not answered yet";
    case state::open: return out.is_empty() ? "its way is open" : "its way takes no more";
    case state::left: return "it has left";
    case state::lost: return "its way is lost";
  }
  return {};
}

}  // namespace am::detail::ucx
