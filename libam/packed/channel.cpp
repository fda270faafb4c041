// The sending half: what joins the open frame, and when that leaves.
#include <libam/base/settings.hpp>
#include <libam/packed/channel.hpp>

#include <algorithm>
#include <optional>

namespace am::detail::packed {

namespace {

wire::message make(wire::message_kind kind, std::uint32_t handler, const am_word* words) noexcept {
  wire::message one{};
  one.kind = kind;
  one.handler = static_cast<std::uint16_t>(handler);
  std::copy_n(words, AM_WORDS, one.words);
  return one;
}

std::optional<std::uint32_t> mark_of(am_rank rank, bool has_one) noexcept {
  return has_one ? std::optional<std::uint32_t>(rank) : std::nullopt;
}

}  // namespace

channel::channel(const seam::host& host, am_rank to, seam::capabilities of_way, keeper& keeper,
                 std::size_t full_frame, check checked)
    : plain_port(to, of_way),
      keeper_(keeper),
      arrivals_(host.arrivals),
      packer_(full_frame, mark_of(host.rank, checked == check::by_rank)),
      unpacker_(mark_of(to, checked == check::by_rank)),
      silent_(host.settings.credits),
      unanswered_(host.settings.credits) {
  account_.raise_limit(host.settings.credits);
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
  if (short_of_room()) return AM_AGAIN_PAYLOAD;
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
  one.hungry = account_.free() == 0;
  add(one);
  if (account_.on_their_way() == 1) flush();
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

void channel::answer_for_it() noexcept {
  if (hungry_ || silent_.due()) publish();
  flush();
}

std::span<const std::byte> channel::closed_frame() noexcept {
  silent_.published();
  hungry_ = false;
  return packer_.close(silent_.value());
}

}  // namespace am::detail::packed
