// The receiving half: what comes out of frames, and the end of a pair.
#include <libam/base/format.hpp>
#include <libam/packed/channel.hpp>
#include <libam/seam/reason.hpp>

namespace am::detail::packed {

bool channel::begin_frame(std::span<const std::byte> bytes) noexcept {
  switch (unpacker_.look(bytes)) {
    case wire::unpacker::found::part: return false;
    case wire::unpacker::found::trouble: lose(unpacker_.trouble()); return false;
    case wire::unpacker::found::frame: break;
  }
  if (!account_.may_be_silent(unpacker_.silent())) {
    lose(base::format("{} silent requests, with {} on their way", unpacker_.silent(),
                      account_.on_their_way()));
    return false;
  }
  const bool had_none = account_.free() == 0;
  account_.silent_read(unpacker_.silent());
  if (had_none && account_.free() != 0) keeper_.has_news();
  inside_frame_ = true;
  return true;
}

// Requests and answers take turns, each kind in a batch of its own.
unsigned channel::deliver(unsigned budget) noexcept {
  unsigned taken = 0;
  wire::message one;
  const auto next = [&]() noexcept {
    if (taken == budget || state_ != state::open) return false;
    return inside_frame_ = unpacker_.next(one);
  };
  bool has_one = next();
  while (has_one && state_ == state::open) {
    if (wire::is_request(one.kind)) {
      seam::inbox::batch requests(arrivals_, peer, this);
      for (; has_one && wire::is_request(one.kind); ++taken, has_one = next())
        handle_request(requests, one);
    } else if (one.kind == wire::message_kind::goodbye) {
      leave();
      break;
    } else if (one.kind == wire::message_kind::piece) {
      expect(one);
      has_one = next();
    } else {
      std::uint32_t answers = 0;
      seam::inbox::batch batch(arrivals_, peer, nullptr);
      for (; has_one && !wire::is_request(one.kind) && wire::has_handler(one.kind);
           ++taken, ++answers, has_one = next()) {
        if (answers == account_.on_their_way()) {
          lose("it answers more than there were requests");
          break;
        }
        handle_answer(batch, one);
      }
      account_.replies_consumed(answers);
    }
  }
  if (unpacker_.in_trouble()) lose(unpacker_.trouble());
  return taken;
}

void channel::expect(const wire::message& piece) noexcept {
  lose(base::format("it announces {} bytes that do not come this way", piece.bytes));
}

void channel::handle_request(seam::inbox::batch& requests, const wire::message& one) noexcept {
  bool answered = false;
  if (one.kind == wire::message_kind::request)
    answered = requests.request(one.handler, one.words);
  else if (one.kind == wire::message_kind::medium)
    answered = requests.request(one.handler, one.words, one.data, one.bytes);
  else
    answered = handle_notice(requests, one);
  if (!answered) silent_.add(1);
  hungry_ |= one.hungry;
}

bool channel::handle_notice(seam::inbox::batch& requests, const wire::message& one) noexcept {
  if (!has_missed(one))
    return requests.notice(one.handler, one.words, reinterpret_cast<void*>(one.where), one.bytes);
  give_back(AM_ARGUMENT_ADDRESS, one.handler, one.words);
  return true;
}

void channel::handle_answer(seam::inbox::batch& answers, const wire::message& one) noexcept {
  if (one.kind == wire::message_kind::reply)
    answers.reply(one.handler, one.words);
  else if (one.kind == wire::message_kind::placed_reply)
    answers.placed_reply(one.handler, one.words, reinterpret_cast<void*>(one.where), 0);
  else
    answers.returned(seam::told_reason(one.reason), one.handler, one.words);
}

// ---- the end ------------------------------------------------------------------------------------

void channel::lose(std::string_view why, sign of) noexcept {
  if (state_ == state::lost || state_ == state::left) return;
  keeper_.is_lost(*this, why, of);
  end();
}

// In good order there is nothing left to answer for, and the goodbye's own frame has said so.
void channel::leave() noexcept {
  if (account_.on_their_way() != 0) return lose("it has left and owes answers");
  end();
  state_ = state::left;
}

// Requests are handled in order, so those on their way are the youngest. What happened to them
// nobody can tell, for the peer's system may have had them; unless there never was a connection.
void channel::give_up(seam::mourner& all) noexcept {
  end();
  const std::uint32_t count = account_.on_their_way();
  for (std::uint32_t i = 0; i < count; ++i) {
    const unanswered_requests::request& one = unanswered_.of_youngest(count, i);
    all.lost(peer, {one.handler, one.words, one.payload, one.kept, has_been_open_});
  }
  account_.shut();
}

}  // namespace am::detail::packed
