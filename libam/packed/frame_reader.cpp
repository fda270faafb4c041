#include <libam/base/format.hpp>
#include <libam/packed/frame_reader.hpp>
#include <libam/seam/reason.hpp>

#include <utility>

namespace am::detail::packed {

namespace {

bool is_answer(wire::message_kind kind) noexcept {
  return wire::has_handler(kind) && !wire::is_request(kind);
}

using wire::message_kind;

// To a request with room.
seam::answer answer_of(const wire::message& one) noexcept {
  using form = seam::answer::form;
  switch (one.kind) {
    case message_kind::medium_answer:
      return {form::payload, one.handler, one.words, one.data, one.bytes};
    case message_kind::placed_answer:
      return {form::placed, one.handler, one.words, reinterpret_cast<void*>(one.where), one.bytes};
    case message_kind::returned_answer:
      return {form::returned, one.handler, one.words, nullptr, 0, seam::told_reason(one.reason)};
    default: return {form::words, one.handler, one.words};
  }
}

void handle_answer(seam::inbox::batch& answers, const wire::message& one) noexcept {
  switch (one.kind) {
    case message_kind::reply: return answers.reply(one.handler, one.words);
    case message_kind::placed_reply:
      return answers.placed_reply(one.handler, one.words, reinterpret_cast<void*>(one.where), 0);
    case message_kind::returned:
      return answers.returned(seam::told_reason(one.reason), one.handler, one.words);
    default: return answers.answered(answer_of(one));
  }
}

}  // namespace

frame_reader::frame_reader(seam::inbox& arrivals, am_rank peer, seam::sender_credits& of_pair,
                           frame_writer& way_back, std::optional<std::uint32_t> mark,
                           wire::payload_sizes payloads) noexcept
    : arrivals_(arrivals),
      way_back_(way_back),
      account_(of_pair),
      peer_(peer),
      unpacker_(mark, payloads) {}

frame_reader::found frame_reader::begin(std::span<const std::byte> bytes) noexcept {
  const found what = unpacker_.look(bytes);
  if (what == found::trouble) refuse(unpacker_.trouble());
  if (what != found::frame) return what;
  if (!book(unpacker_.silent())) return found::trouble;
  is_inside_ = true;
  return what;
}

bool frame_reader::book(std::uint32_t silent) noexcept {
  if (!account_.may_be_silent(silent)) {
    refuse(base::format("{} silent requests, with {} on their way", silent, account_.unanswered()));
    return false;
  }
  ended_shortage_ = account_.book_silent(silent);
  return true;
}

bool frame_reader::take_lone(wire::message_kind kind, bool has_silent, std::uint16_t handler,
                             const am_word* words) noexcept {
  const std::uint32_t silent = unpacker_.silent() + (has_silent ? 1 : 0);
  unpacker_.pass_over(silent);
  ended_shortage_ = false;
  if (has_silent && !book(silent)) return false;
  if (kind == wire::message_kind::request) {
    seam::inbox::batch requests(arrivals_, peer_, &way_back_);
    if (!requests.request(handler, words)) way_back_.count_silent();
    return true;
  }
  if (account_.unanswered() == 0) {
    refuse("it answers more than there were requests");
    return false;
  }
  {
    seam::inbox::batch answers(arrivals_, peer_, nullptr);
    answers.reply(handler, words);
  }
  account_.book_answers(1);
  return true;
}

// Requests and answers take turns, each kind in a batch of its own.
frame_reader::stop frame_reader::deliver(unsigned& budget) noexcept {
  wire::message one;
  for (bool has_one = next(one, budget); has_one;) {
    if (wire::is_request(one.kind))
      has_one = requests(one, budget);
    else if (is_answer(one.kind))
      has_one = answers(one, budget);
    else if (one.kind == wire::message_kind::piece)
      return end_with(one);
    else
      return take_leave();
  }
  return stop_;
}

// False: stop_ says why there is none now. To find that a frame has ended takes no budget.
bool frame_reader::next(wire::message& into, unsigned budget) noexcept {
  const bool may_go_on = budget != 0 || !has_messages();
  if (may_go_on && unpacker_.next(into)) [[likely]]
    return true;
  stop_ = stop::budget;
  if (may_go_on) end_frame();
  return false;
}

void frame_reader::end_frame() noexcept {
  is_inside_ = false;
  stop_ = stop::end_of_frame;
  if (unpacker_.in_trouble()) refuse(unpacker_.trouble());
}

// ---- requests -----------------------------------------------------------------------------------

// True: behind them, in `one`, comes a message of another kind. A handler answers once at most, and
// a frame that is not full has room for that.
bool frame_reader::requests(wire::message& one, unsigned& budget) noexcept {
  seam::inbox::batch requests(arrivals_, peer_, &way_back_);
  do {
    handle_request(requests, one);
    --budget;
    if (way_back_.is_full()) {
      stop_ = stop::full_frame;
      return false;
    }
    if (!next(one, budget)) return false;
  } while (wire::is_request(one.kind));
  return true;
}

void frame_reader::handle_request(seam::inbox::batch& requests, const wire::message& one) noexcept {
  bool answered = false;
  if (one.kind == wire::message_kind::request)
    answered = requests.request(one.handler, one.words);
  else if (one.kind == wire::message_kind::medium)
    answered = requests.request(one.handler, one.words, one.data, one.bytes);
  else if (one.kind == wire::message_kind::notice)
    answered = handle_notice(requests, one);
  else
    answered = handle_asking(requests, one);
  if (!answered) way_back_.count_silent();
  if (one.hungry) way_back_.hurry();
}

bool frame_reader::handle_asking(seam::inbox::batch& requests, const wire::message& one) noexcept {
  requests.request_with_room(one.handler, one.words, one.bytes != 0 ? one.data : nullptr, one.bytes,
                             static_cast<std::uint32_t>(one.room));
  return true;
}

bool frame_reader::handle_notice(seam::inbox::batch& requests, const wire::message& one) noexcept {
  if (!is_missed(one))
    return requests.notice(one.handler, one.words, reinterpret_cast<void*>(one.where), one.bytes);
  way_back_.give_back(AM_ARGUMENT_ADDRESS, one.handler, one.words);
  return true;
}

// A notice of no bytes may come between others and their notice.
bool frame_reader::is_missed(const wire::message& notice) noexcept {
  if (notice.bytes == 0) return false;
  const std::optional<std::uint64_t> missed = std::exchange(missed_, std::nullopt);
  return missed && *missed - notice.where < notice.bytes;
}

// ---- answers ------------------------------------------------------------------------------------

bool frame_reader::answers(wire::message& one, unsigned& budget) noexcept {
  std::uint32_t count = 0;
  bool has_one = true;
  seam::inbox::batch answers(arrivals_, peer_, nullptr);
  do {
    if (count == account_.unanswered()) {
      refuse("it answers more than there were requests");
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

// ---- what is no handler's business --------------------------------------------------------------

// A piece is the last message of its frame.
frame_reader::stop frame_reader::end_with(const wire::message& piece) noexcept {
  piece_ = {piece.where, piece.bytes};
  wire::message none;
  (void)next(none, 0);
  if (stop_ == stop::end_of_frame) stop_ = stop::piece;
  return stop_;
}

// In good order there is nothing left to answer for, and the goodbye's own frame has said so.
frame_reader::stop frame_reader::take_leave() noexcept {
  is_inside_ = false;
  stop_ = stop::goodbye;
  if (account_.unanswered() != 0)
    refuse("it has left and owes answers");
  else if (account_.is_holding())
    refuse("it has left while bytes were on their way to it");
  return stop_;
}

void frame_reader::refuse(std::string why) noexcept {
  is_inside_ = false;
  stop_ = stop::trouble;
  trouble_ = std::move(why);
}

}  // namespace am::detail::packed
