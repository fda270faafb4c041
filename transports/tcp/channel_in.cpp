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
  unsigned taken = 0;
  drained_ = false;
  for (unsigned steps = 0; steps < most_steps && taken < budget && state_ == state::open; ++steps) {
    if (landing_.due() != 0) {
      if (!land()) break;
      continue;
    }
    if (!inside_frame_ && !next_frame() && !read()) break;
    if (inside_frame_) taken += deliver_here(budget - taken);
  }
  answer_for_it();
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
    if (inside_frame_ ? unpacker_.messages() != 0 : !next_frame() && !read()) break;
    if (inside_frame_ && unpacker_.messages() == 0) deliver_here(1);
  }
  if (has_more()) sockets_.has_input(*this);
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

bool channel::next_frame() noexcept {
  if (!more_ || state_ != state::open) return false;
  more_ = begin_frame(input_.bytes());
  return more_;
}

unsigned channel::deliver_here(unsigned budget) noexcept {
  const unsigned taken = deliver(budget);
  if (!inside_frame_) input_.drop(unpacker_.frame_bytes());
  return taken;
}

void channel::expect(const wire::message& piece) noexcept {
  landing_.expect(piece.where, piece.bytes, unpacker_.frame_bytes());
}

bool channel::has_missed(const wire::message& notice) noexcept {
  return landing_.has_missed(notice.where, notice.bytes);
}

// ---- the end ------------------------------------------------------------------------------------

void channel::end() noexcept {
  state_ = state::lost;
  sockets_.close(line_.take_socket());
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
