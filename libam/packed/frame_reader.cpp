#include <libam/packed/frame_reader.hpp>

#include <libam/base/format.hpp>
#include <libam/seam/reason.hpp>

#include <utility>

namespace am::detail::packed {

namespace {

bool is_answer(wire::message_kind kind) noexcept {
  return wire::has_handler(kind) && !wire::is_request(kind);
}

using wire::message_kind;

// The answer to a request with room.
seam::answer answer_of(const wire::message& one) noexcept {
  using form = seam::answer::form;
  switch (one.kind) {
    case message_kind::medium_answer:
      return {form::payload, one.handler, one.words, one.data, one.bytes};
    case message_kind::placed_answer:
      return {form::placed, one.handler, one.words, reinterpret_cast<void*>(one.where), one.bytes};
    case message_kind::returned_answer:
      return {form::returned, one.handler, one.words, nullptr, 0, seam::checked_reason(one.reason)};
    default: return {form::words, one.handler, one.words};
  }
}

void handle_answer(seam::inbox::batch& answers, const wire::message& one) noexcept {
  switch (one.kind) {
    case message_kind::reply: return answers.reply(one.handler, one.words);
    case message_kind::placed_reply:
      return answers.placed_reply(one.handler, one.words, reinterpret_cast<void*>(one.where), 0);
    case message_kind::returned:
      return answers.deliver_returned(seam::checked_reason(one.reason), one.handler, one.words);
    default: return answers.deliver_answer(answer_of(one));
  }
}

}  // namespace

frame_reader::frame_reader(seam::inbox& arrivals, am_rank peer, seam::sender_credits& credits,
                           frame_writer& return_path, std::optional<std::uint32_t> fixed_check,
                           wire::payload_sizes payloads) noexcept
    : arrivals_(arrivals),
      return_path_(return_path),
      account_(credits),
      peer_(peer),
      unpacker_(fixed_check, payloads) {}

frame_reader::parse_result frame_reader::begin(std::span<const std::byte> bytes) noexcept {
  const parse_result what = unpacker_.begin_frame(bytes);
  if (what == parse_result::error) fail(unpacker_.error_text());
  if (what != parse_result::frame) return what;
  if (!update_silent(unpacker_.silent())) return parse_result::error;
  in_frame_ = true;
  return what;
}

bool frame_reader::update_silent(std::uint32_t silent) noexcept {
  if (!account_.is_valid_silent(silent)) {
    fail(base::format("it has counted {} silent requests, with {} in flight", silent,
                      account_.unanswered()));
    return false;
  }
  restored_credits_ = account_.book_silent(silent);
  return true;
}

bool frame_reader::deliver_lone(wire::message_kind kind, bool has_silent, std::uint16_t handler,
                                const am_word* words) noexcept {
  const std::uint32_t silent = unpacker_.silent() + (has_silent ? 1 : 0);
  unpacker_.skip_frame(silent);
  restored_credits_ = false;
  if (has_silent && !update_silent(silent)) return false;
  if (kind == wire::message_kind::request) {
    seam::inbox::batch requests(arrivals_, peer_, &return_path_);
    if (!requests.request(handler, words)) return_path_.count_silent();
    return true;
  }
  if (account_.unanswered() == 0) {
    fail("it has sent more answers than there were requests");
    return false;
  }
  {
    seam::inbox::batch answers(arrivals_, peer_, nullptr);
    answers.reply(handler, words);
  }
  account_.book_answers(1);
  return true;
}

// Requests and answers are delivered in turn, each kind in a batch of its own.
frame_reader::stop_reason frame_reader::deliver(unsigned& budget) noexcept {
  wire::message one;
  for (bool has_one = next(one, budget); has_one;) {
    if (wire::is_request(one.kind))
      has_one = deliver_requests(one, budget);
    else if (is_answer(one.kind))
      has_one = deliver_answers(one, budget);
    else if (one.kind == wire::message_kind::piece)
      return on_piece(one);
    else
      return on_goodbye();
  }
  return stop_reason_;
}

// False: stop_reason_ has the reason. Finding the end of a frame takes no budget.
bool frame_reader::next(wire::message& into, unsigned budget) noexcept {
  const bool may_go_on = budget != 0 || !has_messages();
  if (may_go_on && unpacker_.next(into)) [[likely]]
    return true;
  stop_reason_ = stop_reason::budget;
  if (may_go_on) end_frame();
  return false;
}

void frame_reader::end_frame() noexcept {
  in_frame_ = false;
  stop_reason_ = stop_reason::end_of_frame;
  if (unpacker_.has_error()) fail(unpacker_.error_text());
}

// ---- requests -----------------------------------------------------------------------------------

// True: `one` is the next message, of another kind. A handler answers once at most, and a frame
// that is not full has room for that.
bool frame_reader::deliver_requests(wire::message& one, unsigned& budget) noexcept {
  seam::inbox::batch requests(arrivals_, peer_, &return_path_);
  do {
    handle_request(requests, one);
    --budget;
    if (return_path_.is_full()) {
      stop_reason_ = stop_reason::full_frame;
      return false;
    }
    if (!next(one, budget)) return false;
  } while (wire::is_request(one.kind));
  return true;
}

void frame_reader::handle_request(seam::inbox::batch& requests, const wire::message& one) noexcept {
  bool answered = true;  // a request with room is, at the latest when its handler returns
  if (one.kind == wire::message_kind::request)
    answered = requests.request(one.handler, one.words);
  else if (one.kind == wire::message_kind::medium)
    answered = requests.request(one.handler, one.words, one.data, one.bytes);
  else if (one.kind == wire::message_kind::notice)
    answered = handle_notice(requests, one);
  else
    requests.request_with_room(one.handler, one.words, one.bytes != 0 ? one.data : nullptr,
                               one.bytes, static_cast<std::uint32_t>(one.room));
  if (!answered) return_path_.count_silent();
  if (one.credit_requested) return_path_.note_credit_request();
}

bool frame_reader::handle_notice(seam::inbox::batch& requests, const wire::message& one) noexcept {
  if (!is_of_failed_piece(one))
    return requests.notice(one.handler, one.words, reinterpret_cast<void*>(one.where), one.bytes);
  return_path_.return_request(AM_ARGUMENT_ADDRESS, one.handler, one.words);
  return true;
}

// A notice of no bytes may come between the pieces of a put and their notice.
bool frame_reader::is_of_failed_piece(const wire::message& notice) noexcept {
  if (notice.bytes == 0) return false;
  const std::optional<std::uint64_t> missed = std::exchange(failed_piece_, std::nullopt);
  return missed && *missed - notice.where < notice.bytes;
}

// ---- answers ------------------------------------------------------------------------------------

bool frame_reader::deliver_answers(wire::message& one, unsigned& budget) noexcept {
  std::uint32_t count = 0;
  bool has_one = true;
  seam::inbox::batch answers(arrivals_, peer_, nullptr);
  do {
    if (count == account_.unanswered()) {
      fail("it has sent more answers than there were requests");
      has_one = false;
      break;
    }
    handle_answer(answers, one);
    ++count;
    --budget;
    has_one = next(one, budget);
  } while (has_one && is_answer(one.kind));
  account_.book_answers(count);
  return has_one;
}

// ---- messages without a handler -----------------------------------------------------------------

// A piece is the last message of its frame.
frame_reader::stop_reason frame_reader::on_piece(const wire::message& piece) noexcept {
  piece_ = {piece.where, piece.bytes};
  wire::message none;
  (void)next(none, 0);
  if (stop_reason_ == stop_reason::end_of_frame) stop_reason_ = stop_reason::piece;
  return stop_reason_;
}

// In good order no request is unanswered, which the counter of the goodbye's own frame has shown.
frame_reader::stop_reason frame_reader::on_goodbye() noexcept {
  in_frame_ = false;
  stop_reason_ = stop_reason::goodbye;
  if (account_.unanswered() != 0)
    fail("it has left with requests unanswered");
  else if (account_.has_held_credit())
    fail("it has left while bytes were in flight to it");
  return stop_reason_;
}

void frame_reader::fail(std::string why) noexcept {
  in_frame_ = false;
  stop_reason_ = stop_reason::error;
  error_text_ = std::move(why);
}

}  // namespace am::detail::packed
