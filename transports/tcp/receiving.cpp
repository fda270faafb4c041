#include <transports/tcp/receiving.hpp>

#include <algorithm>
#include <array>
#include <cerrno>

namespace am::detail::tcp {

namespace {
// Frames and reads of one call: some frames have no message, which no budget counts.
constexpr unsigned most_steps = 256;

// A piece that is worth a call of the system for itself, for it is not copied then.
bool is_large(std::size_t piece) noexcept { return piece > wire::most_put_in_messages; }
// Behind a large piece comes most likely the frame of the next one, perhaps in two parts or with a
// notice alone before it.
constexpr unsigned narrow_reads = 2;
}  // namespace

bool receiving::take(unsigned& budget) noexcept {
  for (; steps_ < most_steps && budget != 0 && connection_.is_open(); ++steps_) {
    if (landing_.due() != 0) {
      if (!land()) break;
      continue;
    }
    if (!frames_in_.is_inside() && !begin_frame() && !read()) break;
    if (frames_in_.is_inside() && deliver(budget)) return true;
  }
  return false;
}

void receiving::take_counters() noexcept {
  for (; steps_ < most_steps && connection_.is_open(); ++steps_) {
    if (landing_.due() != 0) {
      if (!land()) break;
      continue;
    }
    if (frames_in_.is_inside() ? frames_in_.has_messages() : !begin_frame() && !read()) break;
    unsigned none = 0;
    if (frames_in_.is_inside()) (void)deliver(none);
  }
  if (has_more()) connection_.has_input();
}

// Were more than a frame read there, a large piece behind it would be copied.
std::span<std::byte> receiving::room_for_frame() noexcept {
  const std::span<std::byte> room = input_.room();
  if (narrow_reads_ == 0) return room;
  --narrow_reads_;
  const std::size_t frame = std::max(frames_in_.needed(), landing_.next_frame_bytes());
  const std::size_t here = input_.bytes().size();
  return frame > here ? room.first(std::min(frame - here, room.size())) : room;
}

// True: something has come. A read that did not fill its room has left nothing behind.
bool receiving::read() noexcept {
  if (drained_ || !connection_.is_open()) return false;
  const std::span<std::byte> room = room_for_frame();
  const iovec part{room.data(), room.size()};
  const ssize_t got = connection_.line().receive({&part, 1});
  if (!connection_.has_come(got)) return false;
  drained_ = static_cast<std::size_t>(got) < room.size();
  input_.came(static_cast<std::size_t>(got));
  more_ = true;
  return true;
}

// ---- frames -------------------------------------------------------------------------------------

// The one that the input begins with. False: it is not all there, or the pair is lost.
bool receiving::begin_frame() noexcept {
  if (!more_ || !connection_.is_open()) return false;
  const packed::frame_reader::found what = frames_in_.begin(input_.bytes());
  more_ = what == packed::frame_reader::found::frame;
  if (what == packed::frame_reader::found::trouble) connection_.lose(frames_in_.trouble());
  if (more_ && frames_in_.ended_shortage()) peers_.has_news();
  return more_;
}

bool receiving::deliver(unsigned& budget) noexcept {
  using stop = packed::frame_reader::stop;
  switch (frames_in_.deliver(budget)) {
    case stop::budget: break;
    case stop::full_frame: return true;
    case stop::piece:
      landing_.expect(frames_in_.piece().where, frames_in_.piece().bytes, frames_in_.frame_bytes());
      [[fallthrough]];
    case stop::end_of_frame:
      input_.drop(frames_in_.frame_bytes());
      more_ = !input_.bytes().empty();
      break;
    case stop::goodbye: connection_.leave(); break;
    case stop::trouble: connection_.lose(frames_in_.trouble()); break;
  }
  return false;
}

// ---- bulk data ----------------------------------------------------------------------------------

// True: some of the piece has come, or all of it was there already.
bool receiving::land() noexcept {
  if (!input_.bytes().empty())
    land_from_input();
  else if (!land_from_line())
    return false;
  if (landing_.misses()) frames_in_.has_missed(landing_.begin());
  if (landing_.due() == 0 && is_large(landing_.bytes())) narrow_reads_ = narrow_reads;
  return true;
}

void receiving::land_from_input() noexcept {
  const std::span<std::byte> room = landing_.room();
  const bool known = !room.empty() && arrivals_.expects(peer_, room.data(), room.size());
  input_.drop(landing_.copy(input_.bytes(), known));
  more_ = !input_.bytes().empty();
}

// Of what follows a large piece only a frame is read: the piece behind that goes to its place.
std::span<std::byte> receiving::room_behind_piece() noexcept {
  const std::span<std::byte> room = input_.room();
  return is_large(landing_.bytes()) ? room.first(landing_.next_frame_bytes()) : room;
}

bool receiving::land_from_line() noexcept {
  if (drained_ || !connection_.is_open()) return false;
  const std::span<std::byte> place = landing_.room();
  if (landing_.misses() && !place.empty()) {
    const ssize_t skipped = connection_.line().skip(place.size());
    if (!connection_.has_come(skipped)) return false;
    landing_.moved(static_cast<std::size_t>(skipped));
    return true;
  }
  std::array<std::byte, wire::payload_step> zeros;
  const std::span<std::byte> behind = room_behind_piece();
  const std::array<iovec, 3> parts{iovec{place.data(), place.size()},
                                   iovec{zeros.data(), landing_.zeros()},
                                   iovec{behind.data(), behind.size()}};
  constexpr foreign_parts first = 0b1;
  const ssize_t got = connection_.line().receive(parts, first);
  if (got < 0 && errno == EFAULT) {
    landing_.miss();
    return true;
  }
  if (!connection_.has_come(got)) return false;
  const auto count = static_cast<std::size_t>(got);
  drained_ = count < landing_.due() + behind.size();
  input_.came(count - landing_.moved(count));
  more_ = !input_.bytes().empty();
  return true;
}

}  // namespace am::detail::tcp
