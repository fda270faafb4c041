#include <libam/packed/frame_writer.hpp>

#include <algorithm>

namespace am::detail::packed {

namespace {

wire::message make(wire::message_kind kind, std::uint32_t handler, const am_word* words) noexcept {
  wire::message one{};
  one.kind = kind;
  one.handler = static_cast<std::uint16_t>(handler);
  std::copy_n(words, AM_WORDS, one.words);
  return one;
}

}  // namespace

frame_writer::frame_writer(seam::sender_credits& credits, std::uint32_t window,
                           std::size_t full_frame, std::optional<std::uint32_t> fixed_check,
                           wire::payload_sizes payloads)
    : account_(credits),
      packer_(full_frame, fixed_check, payloads),
      unanswered_(window),
      silent_(window) {}

// ---- requests -----------------------------------------------------------------------------------

bool frame_writer::medium(std::uint32_t handler, const am_word* words, const void* data,
                          std::size_t bytes) noexcept {
  unanswered_.add(handler, words, {static_cast<const std::byte*>(data), bytes});
  wire::message one = make(wire::message_kind::medium, handler, words);
  one.data = static_cast<const std::byte*>(data);
  one.bytes = bytes;
  return add_request(one);
}

bool frame_writer::request_with_room(std::uint32_t handler, const am_word* words, const void* data,
                                     std::size_t bytes, std::uint32_t room) noexcept {
  unanswered_.add(handler, words, {static_cast<const std::byte*>(data), bytes});
  wire::message one = make(wire::message_kind::request_with_room, handler, words);
  one.data = static_cast<const std::byte*>(data);
  one.bytes = bytes;
  one.room = room;
  return add_request(one);
}

bool frame_writer::notice(std::uint32_t handler, const am_word* words, const void* where,
                          std::size_t bytes) noexcept {
  unanswered_.add(handler, words);
  wire::message one = make(wire::message_kind::notice, handler, words);
  one.where = reinterpret_cast<std::uintptr_t>(where);
  one.bytes = bytes;
  return add_request(one);
}

// ---- answers, pieces, the goodbye ---------------------------------------------------------------

am_status frame_writer::reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                              am_word w3) noexcept {
  add(of_words(wire::message_kind::reply, handler, w0, w1, w2, w3));
  return AM_OK;
}

void frame_writer::reply_at(std::uint32_t handler, const am_word* words, void* where,
                            std::size_t) noexcept {
  wire::message one = make(wire::message_kind::placed_reply, handler, words);
  one.where = reinterpret_cast<std::uintptr_t>(where);
  add(one);
}

void frame_writer::return_request(am_status reason, std::uint32_t handler,
                                  const am_word* words) noexcept {
  wire::message one = make(wire::message_kind::returned, handler, words);
  one.reason = reason;
  add(one);
}

void frame_writer::answer(const seam::answer& one) noexcept {
  using form = seam::answer::form;
  constexpr wire::message_kind kinds[] = {
      wire::message_kind::answer, wire::message_kind::medium_answer,
      wire::message_kind::placed_answer, wire::message_kind::returned_answer};
  wire::message m = make(kinds[static_cast<unsigned>(one.what)], one.handler, one.words);
  m.data = static_cast<const std::byte*>(one.data);
  m.bytes = one.bytes;
  if (one.what == form::placed) m.where = reinterpret_cast<std::uintptr_t>(one.data);
  if (one.what == form::returned) m.reason = one.reason;
  add(m);
}

void frame_writer::piece(std::uint64_t where, std::size_t bytes) noexcept {
  wire::message one{};
  one.kind = wire::message_kind::piece;
  one.where = where;
  one.bytes = bytes;
  add(one);
}

void frame_writer::goodbye() noexcept {
  wire::message one{};
  one.kind = wire::message_kind::goodbye;
  add(one);
}

void frame_writer::add(const wire::message& one) noexcept {
  if (!ended_) packer_.add(one);
}

// ---- the end ------------------------------------------------------------------------------------

// Requests are handled in order, so those in flight are the newest. They may have run, for the
// peer's system may have received them; unless there never was a connection.
void frame_writer::fail_pending(seam::failure_sink& sink, am_rank peer,
                                bool may_have_run) noexcept {
  const std::uint32_t count = account_.unanswered();
  for (std::uint32_t i = 0; i < count; ++i) {
    const unanswered_requests::request& one = unanswered_.among_newest(count, i);
    sink.on_lost_request(peer, {one.handler, one.words, one.payload, one.kept, may_have_run});
  }
}

}  // namespace am::detail::packed
