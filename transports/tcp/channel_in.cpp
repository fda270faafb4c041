// The receiving half, and the end of a connection.
#include <libam/base/format.hpp>
#include <transports/tcp/channel.hpp>

#include <cerrno>

namespace am::detail::tcp {

namespace {
// Frames and reads of one call: some frames have no message, which no budget counts.
constexpr unsigned most_steps = 256;
}  // namespace

void channel::open(line established) noexcept {
  line_ = std::move(established);
  line_.suffer(faults_);
  state_ = state::open;
  has_been_open_ = true;
  go_on_sending();
  flush();
}

unsigned channel::take(unsigned budget) noexcept {
  unsigned taken = 0;
  drained_ = false;
  for (unsigned steps = 0; steps < most_steps && taken < budget && state_ == state::open; ++steps) {
    if (landing_.due() != 0) {
      if (!land()) break;
      continue;
    }
    if (!inside_frame_ && !open_frame() && !read()) break;
    if (inside_frame_) taken += deliver(budget - taken);
  }
  if (hungry_ || silent_.due()) publish();
  flush();
  return taken;
}

// For one who only tries and never polls: counters come in, up to the next message.
void channel::refresh() noexcept {
  flush();
  drained_ = false;
  for (unsigned steps = 0; steps < most_steps; ++steps) {
    if (landing_.due() != 0) {
      if (!land()) break;
      continue;
    }
    if (inside_frame_ ? unpacker_.messages() != 0 : !open_frame() && !read()) break;
    if (inside_frame_ && unpacker_.messages() == 0) deliver(1);
  }
  if (has_more()) keeper_.has_input(*this);
}

// True: something has come. A read that did not fill its room has left nothing behind.
bool channel::read() noexcept {
  if (drained_ || state_ != state::open) return false;
  const std::span<std::byte> room = input_.room();
  const iovec part{room.data(), room.size()};
  const ssize_t got = line_.receive({&part, 1});
  if (!has_come(got)) return false;
  drained_ = static_cast<std::size_t>(got) < room.size();
  input_.came(static_cast<std::size_t>(got));
  more_ = true;
  return true;
}

// What a read has said; false: nothing.
bool channel::has_come(ssize_t got) noexcept {
  if (got > 0) return true;
  if (got == 0)
    lose("it has closed the connection without a goodbye");
  else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
    lose(line::why(errno));
  return false;
}

// True: the next frame is whole and its messages are next.
bool channel::open_frame() noexcept {
  if (!more_ || state_ != state::open) return false;
  switch (unpacker_.look(input_.bytes())) {
    case wire::unpacker::found::part: more_ = false; return false;
    case wire::unpacker::found::trouble: lose(unpacker_.trouble()); return false;
    case wire::unpacker::found::frame: break;
  }
  if (!credits.may_be_silent(unpacker_.silent())) {
    lose(base::format("{} silent requests, with {} on their way", unpacker_.silent(),
                      credits.on_their_way()));
    return false;
  }
  const bool had_none = credits.free() == 0;
  credits.silent_read(unpacker_.silent());
  if (had_none && credits.free() != 0) keeper_.has_news();
  inside_frame_ = true;
  return true;
}

// Messages of one frame. Requests and answers take turns, each kind in a batch of its own.
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
      landing_.expect(one.where, one.bytes, unpacker_.frame_bytes());
      has_one = next();
    } else {
      std::uint32_t answers = 0;
      seam::inbox::batch batch(arrivals_, peer, nullptr);
      for (; has_one && !wire::is_request(one.kind) && wire::has_handler(one.kind);
           ++taken, ++answers, has_one = next()) {
        if (answers == credits.on_their_way()) {
          lose("it answers more than there were requests");
          break;
        }
        handle_answer(batch, one);
      }
      credits.replies_consumed(answers);
    }
  }
  if (unpacker_.in_trouble()) lose(unpacker_.trouble());
  if (!inside_frame_) input_.drop(unpacker_.frame_bytes());
  return taken;
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
  if (!landing_.has_missed(one.where, one.bytes))
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
    answers.returned(
        one.reason != 0 && one.reason <= 0xffff ? static_cast<am_status>(one.reason) : AM_PEER_LOST,
        one.handler, one.words);
}

// ---- the end ------------------------------------------------------------------------------------

void channel::lose(std::string_view why) noexcept {
  if (state_ == state::lost || state_ == state::left) return;
  keeper_.is_lost(*this, why);
  end();
}

void channel::end() noexcept {
  state_ = state::lost;
  ship_on();
  keeper_.close(line_.take_socket());
}

// In good order there is nothing left to answer for, and the goodbye's own frame has said so.
void channel::leave() noexcept {
  if (credits.on_their_way() != 0) return lose("it has left and owes answers");
  end();
  state_ = state::left;
}

// Requests are handled in order, so those on their way are the youngest. What happened to them
// nobody can tell, for the peer's system may have had them; unless there never was a connection.
void channel::give_up(seam::mourner& all) noexcept {
  end();
  const std::uint32_t count = credits.on_their_way();
  for (std::uint32_t i = 0; i < count; ++i) {
    const unanswered_requests::request& one = unanswered_.of_youngest(count, i);
    all.lost(peer, {one.handler, one.words, one.payload, one.kept, has_been_open_});
  }
  credits.shut();
}

std::string channel::about_peer() const {
  switch (state_) {
    case state::connecting: return "no connection stands yet";
    case state::open: return waiting_ ? "its connection takes no more" : "its connection stands";
    case state::left: return "it has left";
    case state::lost: return "its connection is lost";
  }
  return {};
}

}  // namespace am::detail::tcp
