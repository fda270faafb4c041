// The receiving half: frames out of the socket, and the end of a connection.
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
  unsigned left = budget;
  drained_ = false;
  for (unsigned steps = 0; steps < most_steps && left != 0 && state_ == state::open; ++steps) {
    if (landing_.due() != 0) {
      if (!land()) break;
      continue;
    }
    if (!frames_in_.is_inside() && !begin_frame() && !read()) break;
    if (frames_in_.is_inside()) deliver(left);
  }
  answer();
  return budget - left;
}

// For one who only tries and never polls: counters come in, up to the next message.
void channel::refresh() noexcept {
  flush();
  drained_ = false;
  for (unsigned steps = 0; steps < most_steps && state_ == state::open; ++steps) {
    if (landing_.due() != 0) {
      if (!land()) break;
      continue;
    }
    if (frames_in_.is_inside() ? frames_in_.has_messages() : !begin_frame() && !read()) break;
    unsigned none = 0;
    if (frames_in_.is_inside()) deliver(none);
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
  const int error = errno;
  if (got > 0) return true;
  if (got == 0)
    lose("it has closed the connection without a goodbye", packed::sign::of_death);
  else if (error == EBADMSG)  // a record was changed on its way, by whom this end alone can tell
    lose(line::why(error), packed::sign::of_trouble);
  else if (error != EAGAIN && error != EWOULDBLOCK && error != EINTR)
    lose(line::why(error), packed::sign::of_death);
  return false;
}

// ---- frames -------------------------------------------------------------------------------------

// The one that the input begins with. False: it is not all there, or the pair is lost.
bool channel::begin_frame() noexcept {
  if (!more_ || state_ != state::open) return false;
  const packed::frame_reader::found what = frames_in_.begin(input_.bytes());
  more_ = what == packed::frame_reader::found::frame;
  if (what == packed::frame_reader::found::trouble) lose(frames_in_.trouble());
  if (more_ && frames_in_.ended_shortage()) peers_.has_news();
  return more_;
}

void channel::deliver(unsigned& budget) noexcept {
  using stop = packed::frame_reader::stop;
  switch (frames_in_.deliver(budget)) {
    case stop::budget: break;
    case stop::full_frame: send_frame(); break;
    case stop::piece:
      landing_.expect(frames_in_.piece().where, frames_in_.piece().bytes, frames_in_.frame_bytes());
      [[fallthrough]];
    case stop::end_of_frame: input_.drop(frames_in_.frame_bytes()); break;
    case stop::goodbye: leave(); break;
    case stop::trouble: lose(frames_in_.trouble()); break;
  }
}

// ---- the end ------------------------------------------------------------------------------------

void channel::lose(std::string_view why, packed::sign of) noexcept {
  if (state_ == state::lost || state_ == state::left) return;
  keeper_.is_lost(*this, why, of);
  end();
}

void channel::leave() noexcept {
  end();
  state_ = state::left;
}

void channel::end() noexcept {
  state_ = state::lost;
  frames_out_.end();
  keeper_.close(line_.take_socket());
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
