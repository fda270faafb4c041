#include <transports/tcp/channel/frame_receiver.hpp>

#include <algorithm>
#include <array>
#include <cerrno>

namespace am::detail::tcp {

namespace {
// Frames and reads of one call: the budget does not limit frames without a message.
constexpr unsigned most_steps = 256;

// A piece that is worth a system call of its own, because it is not copied then.
bool is_large(std::size_t piece) noexcept { return piece > wire::most_eager_bytes; }
// Behind a large piece follows most likely the frame of the next one, perhaps in two parts or with
// a notice alone before it.
constexpr unsigned narrow_reads = 2;
}  // namespace

// A frame that has begun is handled to its end, also where the connection is lost meanwhile: its
// counter of silent requests is booked, and so its answers have to be.
bool frame_receiver::take_messages(unsigned& budget) noexcept {
  for (; steps_ < most_steps && budget != 0; ++steps_) {
    if (!connection_.is_open() && !frames_in_.in_frame()) break;
    if (incoming_piece_.remaining() != 0) {
      if (!receive_piece()) break;
      continue;
    }
    if (!frames_in_.in_frame() && !begin_frame() && !read()) break;
    if (frames_in_.in_frame() && deliver(budget)) return true;
  }
  return false;
}

void frame_receiver::take_credits() noexcept {
  begin_call();
  for (; steps_ < most_steps && connection_.is_open(); ++steps_) {
    if (incoming_piece_.remaining() != 0) {
      if (!receive_piece()) break;
      continue;
    }
    if (frames_in_.in_frame() ? frames_in_.has_messages() : !begin_frame() && !read()) break;
    unsigned none = 0;
    if (frames_in_.in_frame()) (void)deliver(none);
  }
  if (has_more()) connection_.report_input();
}

// If more than a frame were read there, a large piece behind it would be copied.
std::span<std::byte> frame_receiver::space_for_frame() noexcept {
  const std::span<std::byte> room = input_.space();
  if (narrow_reads_ == 0) return room;
  --narrow_reads_;
  const std::size_t frame = std::max(frames_in_.needed(), incoming_piece_.next_frame_bytes());
  const std::size_t here = input_.bytes().size();
  return frame > here ? room.first(std::min(frame - here, room.size())) : room;
}

// True: something has come. A read that did not fill its room has left nothing behind.
bool frame_receiver::read() noexcept {
  if (drained_ || !connection_.is_open()) return false;
  const std::span<std::byte> room = space_for_frame();
  const iovec part{room.data(), room.size()};
  const ssize_t got = connection_.link().receive({&part, 1});
  if (!connection_.on_read_result(got)) return false;
  drained_ = static_cast<std::size_t>(got) < room.size();
  input_.commit(static_cast<std::size_t>(got));
  has_unparsed_ = true;
  return true;
}

// ---- frames -------------------------------------------------------------------------------------

// Begins the frame at the start of the input. False: it is incomplete, or the pair is lost.
bool frame_receiver::begin_frame() noexcept {
  if (!has_unparsed_ || !connection_.is_open()) return false;
  const packed::frame_reader::parse_result what = frames_in_.begin(input_.bytes());
  has_unparsed_ = what == packed::frame_reader::parse_result::frame;
  if (what == packed::frame_reader::parse_result::error)
    connection_.on_violation(frames_in_.error_text());
  if (has_unparsed_ && frames_in_.restored_credits()) peers_.note_credits_or_room();
  return has_unparsed_;
}

bool frame_receiver::deliver(unsigned& budget) noexcept {
  using stop_reason = packed::frame_reader::stop_reason;
  switch (frames_in_.deliver(budget)) {
    case stop_reason::budget: break;
    case stop_reason::full_frame: return true;
    case stop_reason::piece:
      incoming_piece_.start(frames_in_.piece().where, frames_in_.piece().bytes,
                            frames_in_.frame_bytes());
      [[fallthrough]];
    case stop_reason::end_of_frame:
      input_.drop(frames_in_.frame_bytes());
      has_unparsed_ = !input_.bytes().empty();
      break;
    case stop_reason::goodbye: connection_.mark_left(); break;
    case stop_reason::error: connection_.on_violation(frames_in_.error_text()); break;
  }
  return false;
}

// ---- bulk data ----------------------------------------------------------------------------------

// True: some of the piece has come, or all of it was there already.
bool frame_receiver::receive_piece() noexcept {
  if (!input_.bytes().empty())
    copy_piece_from_input();
  else if (!receive_piece_from_link())
    return false;
  if (incoming_piece_.is_unmapped()) frames_in_.note_piece_failed(incoming_piece_.begin());
  if (incoming_piece_.remaining() == 0 && is_large(incoming_piece_.bytes()))
    narrow_reads_ = narrow_reads;
  return true;
}

void frame_receiver::copy_piece_from_input() noexcept {
  const std::span<std::byte> room = incoming_piece_.destination();
  const bool known_mapped =
      !room.empty() && arrivals_.is_known_mapped(peer_, room.data(), room.size());
  input_.drop(incoming_piece_.copy(input_.bytes(), known_mapped));
  has_unparsed_ = !input_.bytes().empty();
}

// Behind a large piece only one frame is read, so that the next piece goes straight to its place.
std::span<std::byte> frame_receiver::space_behind_piece() noexcept {
  const std::span<std::byte> room = input_.space();
  return is_large(incoming_piece_.bytes()) ? room.first(incoming_piece_.next_frame_bytes()) : room;
}

bool frame_receiver::receive_piece_from_link() noexcept {
  if (drained_ || !connection_.is_open()) return false;
  const std::span<std::byte> place = incoming_piece_.destination();
  if (incoming_piece_.is_unmapped() && !place.empty()) {
    const ssize_t skipped = connection_.link().skip(place.size());
    if (!connection_.on_read_result(skipped)) return false;
    incoming_piece_.advance(static_cast<std::size_t>(skipped));
    return true;
  }
  std::array<std::byte, wire::payload_step> zeros;
  const std::span<std::byte> behind = space_behind_piece();
  const std::array<iovec, 3> parts{iovec{place.data(), place.size()},
                                   iovec{zeros.data(), incoming_piece_.zeros()},
                                   iovec{behind.data(), behind.size()}};
  constexpr foreign_parts first = 0b1;
  const ssize_t got = connection_.link().receive(parts, first);
  if (got < 0 && errno == EFAULT) {
    incoming_piece_.mark_unmapped();
    return true;
  }
  if (!connection_.on_read_result(got)) return false;
  const auto count = static_cast<std::size_t>(got);
  drained_ = count < incoming_piece_.remaining() + behind.size();
  input_.commit(count - incoming_piece_.advance(count));
  has_unparsed_ = !input_.bytes().empty();
  return true;
}

}  // namespace am::detail::tcp
