#include <transports/tcp/puts.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace am::detail::tcp {

namespace {

// Of fewer bytes a message is smaller than what goes around a piece, and shares its frame.
constexpr std::size_t least_piece_bytes = 1024;
// Bytes for which a call of the system is worth its while (docs/performance.md).
constexpr std::size_t enough_for_a_call = std::size_t{192} * 1024;

bool can_be_lent(const seam::transfer& one) noexcept {
  return one.stays && one.bytes <= wire::most_following_bytes;
}

std::span<const std::byte> bytes_of(const seam::transfer& one) noexcept {
  return {static_cast<const std::byte*>(one.here), one.bytes};
}

}  // namespace

// What is too small goes in a message; and so do few bytes while another put is in pieces, for the
// pieces of two puts do not mix, and on a line that encrypts, which copies everything in any case.
seam::reach puts::begin(seam::transfer& one) noexcept {
  if (one.bytes < least_piece_bytes || connection_.at() == connection::state::lost)
    return seam::reach::no_way;
  const bool few = one.bytes <= wire::most_put_in_messages;
  if (few && (promised_ != 0 || connection_.line().encrypts())) return seam::reach::no_way;
  if (few && !one.stays) return copy(one);
  if (one.at_once && !one.stays) return seam::reach::no_way;
  const bool may_be_lent = waiting_.empty() && can_be_lent(one) && sending_.bulk().may_borrow();
  if (may_be_lent) {
    lend(one);
    return seam::reach::under_way;
  }
  credits_.hold();
  waiting_.push(one);
  if (&waiting_.front() == &one) go_on();
  return seam::reach::under_way;
}

// ---- piece and notice at once -------------------------------------------------------------------

seam::reach puts::copy(const seam::transfer& one) noexcept {
  const bool is_short = sending_.is_short_of_room();
  end_those_gone();
  if (is_short) return seam::reach::busy;
  announce(one, 0, one.bytes);
  sending_.bulk().keep(bytes_of(one));
  sending_.bulk().fill_up(one.bytes);
  leave(tell(one));
  return seam::reach::done;
}

void puts::lend(seam::transfer& one) noexcept {
  announce(one, 0, one.bytes);
  sending_.bulk().borrow(bytes_of(one));
  lent_.push(one);
  ++lent_count_;
  leave(tell(one));
}

// With all that is gathered, or later. Where a piece follows most likely, the notice keeps it
// company.
void puts::leave(bool now) noexcept {
  if (now)
    sending_.send_frame();
  else
    sending_.leave_later();
  if (!now && is_enough() && sending_.may_send()) sending_.send_waiting();
  end_those_gone();
}

void puts::announce(const seam::transfer& one, std::size_t from, std::size_t bytes) noexcept {
  frames_out_.piece(reinterpret_cast<std::uintptr_t>(one.there) + from, bytes);
  sending_.keep_frame();
}

bool puts::tell(const seam::transfer& one) noexcept {
  return frames_out_.notice(one.handler, one.words, one.there, one.bytes);
}

bool puts::is_enough() noexcept {
  return sending_.bulk().bytes() >= enough_for_a_call || !sending_.bulk().may_borrow();
}

void puts::end_those_gone() noexcept {
  for (; lent_count_ > sending_.bulk().loans(); --lent_count_) {
    peers_.has_news();
    arrivals_.transferred(lent_.pop(), seam::reach::done);
  }
}

// ---- one piece at a time ------------------------------------------------------------------------

// A piece is promised when the one before has gone, so that other messages wait for one at most;
// the notice when all have gone, for then it is known that they could be read. Where nothing goes
// any more puts stay until they are given up.
void puts::go_on_with_some() noexcept {
  end_those_gone();
  while (!waiting_.empty() && connection_.at() != connection::state::lost &&
         !sending_.is_in_vain()) {
    if (promised_ == 0 && can_be_lent(waiting_.front())) {
      if (!sending_.bulk().may_borrow()) return;
      credits_.send_held();
      lend(waiting_.pop());
      continue;
    }
    if (sending_.bulk().borrows()) return;
    if (promised_ == waiting_.front().bytes || is_torn()) {
      end_put();
      continue;
    }
    load_piece();
    if (sending_.may_send()) sending_.send_waiting();
    end_those_gone();
  }
}

void puts::load_piece() noexcept {
  const seam::transfer& one = waiting_.front();
  const std::size_t bytes =
      std::min<std::size_t>(one.bytes - promised_, wire::most_following_bytes);
  announce(one, promised_, bytes);
  sending_.bulk().borrow(bytes_of(one).subspan(promised_, bytes));
  promised_ += bytes;
}

// The notice may bring the next put on its way, so this one is told of before.
void puts::end_put() noexcept {
  const bool torn = is_torn();
  seam::transfer& one = waiting_.pop();
  const seam::transfer it = one;
  promised_ = 0;
  peers_.has_news();
  arrivals_.transferred(one, torn ? seam::reach::bad_here : seam::reach::done);
  if (torn) return;
  credits_.send_held();
  leave(tell(it));
}

// ---- the end ------------------------------------------------------------------------------------

// Notices that are accepted are requests, which come back by themselves.
void puts::give_up() noexcept {
  for (; !lent_.empty(); --lent_count_) arrivals_.transferred(lent_.pop(), seam::reach::done);
  promised_ = 0;
  while (!waiting_.empty()) arrivals_.transferred(waiting_.pop(), seam::reach::no_way);
}

}  // namespace am::detail::tcp
