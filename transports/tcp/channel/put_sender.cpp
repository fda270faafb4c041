#include <transports/tcp/channel/put_sender.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace am::detail::tcp {

namespace {

// For fewer bytes a message is smaller than what surrounds a piece, and shares its frame.
constexpr std::size_t least_piece_bytes = 1024;
// Bytes that are worth a system call (docs/bulk.md).
constexpr std::size_t bytes_worth_a_call = 196608;

bool allows_zero_copy(const seam::transfer& one) noexcept {
  return one.source_stable && one.bytes <= wire::most_following_bytes;
}

std::span<const std::byte> bytes_of(const seam::transfer& one) noexcept {
  return {static_cast<const std::byte*>(one.here), one.bytes};
}

}  // namespace

// Too few bytes go in a message. So do eager ones while another put is sent in pieces, because the
// pieces of two puts must not mix, and on a link that encrypts, which copies in any case.
seam::transfer_status put_sender::begin(seam::transfer& one) noexcept {
  if (one.bytes < least_piece_bytes || connection_.current_state() == connection::state::lost)
    return seam::transfer_status::unsupported;
  const bool eager = one.bytes <= wire::most_eager_bytes;
  if (eager && (announced_ != 0 || connection_.link().encrypts()))
    return seam::transfer_status::unsupported;
  if (eager && !one.source_stable) return send_copied(one);
  if (one.at_once && !one.source_stable) return seam::transfer_status::unsupported;
  const bool zero_copy_now =
      waiting_.empty() && allows_zero_copy(one) && frame_sender_.queue().has_zero_copy_room();
  if (zero_copy_now) {
    send_zero_copy(one);
    return seam::transfer_status::under_way;
  }
  credits_.hold();
  waiting_.push(one);
  if (&waiting_.front() == &one) advance();
  return seam::transfer_status::under_way;
}

// ---- piece and notice together ------------------------------------------------------------------

seam::transfer_status put_sender::send_copied(const seam::transfer& one) noexcept {
  const bool is_short = frame_sender_.is_short_of_room();
  end_sent_puts();
  if (is_short) return seam::transfer_status::busy;
  announce(one, 0, one.bytes);
  frame_sender_.queue().append_copy(bytes_of(one));
  frame_sender_.queue().append_padding(one.bytes);
  send_or_schedule(add_notice(one));
  return seam::transfer_status::done;
}

void put_sender::send_zero_copy(seam::transfer& one) noexcept {
  announce(one, 0, one.bytes);
  frame_sender_.queue().append_zero_copy(bytes_of(one));
  zero_copy_puts_.push(one);
  ++zero_copy_count_;
  send_or_schedule(add_notice(one));
}

// Sends what has gathered now, or with the next poll: where another piece follows most likely, the
// notice leaves together with it.
void put_sender::send_or_schedule(bool now) noexcept {
  if (now)
    frame_sender_.send_frame();
  else
    frame_sender_.schedule_send();
  if (!now && is_worth_a_call() && frame_sender_.may_send()) frame_sender_.send_waiting();
  end_sent_puts();
}

void put_sender::announce(const seam::transfer& one, std::size_t from, std::size_t bytes) noexcept {
  frames_out_.piece(reinterpret_cast<std::uintptr_t>(one.there) + from, bytes);
  frame_sender_.queue_frame();
}

bool put_sender::add_notice(const seam::transfer& one) noexcept {
  return frames_out_.notice(one.handler, one.words, one.there, one.bytes);
}

bool put_sender::is_worth_a_call() noexcept {
  return frame_sender_.queue().bytes() >= bytes_worth_a_call ||
         !frame_sender_.queue().has_zero_copy_room();
}

void put_sender::end_sent_puts() noexcept {
  for (; zero_copy_count_ > frame_sender_.queue().zero_copy_count(); --zero_copy_count_) {
    peers_.note_credits_or_room();
    arrivals_.end_transfer(zero_copy_puts_.pop(), seam::transfer_status::done);
  }
}

// ---- one piece at a time ------------------------------------------------------------------------

// A piece is announced when the one before is sent, so that other messages wait for one at most;
// the notice when all are sent, because only then all bytes are known to be readable. Where nothing
// can be sent any more puts stay until fail_pending().
void put_sender::advance_nonempty() noexcept {
  end_sent_puts();
  while (!waiting_.empty() && connection_.current_state() != connection::state::lost &&
         !frame_sender_.has_send_failed()) {
    if (announced_ == 0 && allows_zero_copy(waiting_.front())) {
      if (!frame_sender_.queue().has_zero_copy_room()) return;
      credits_.send_held();
      send_zero_copy(waiting_.pop());
      continue;
    }
    if (frame_sender_.queue().has_zero_copy()) return;
    if (announced_ == waiting_.front().bytes || is_source_unmapped()) {
      end_put();
      continue;
    }
    queue_next_piece();
    if (frame_sender_.may_send()) frame_sender_.send_waiting();
    end_sent_puts();
  }
}

void put_sender::queue_next_piece() noexcept {
  const seam::transfer& one = waiting_.front();
  const std::size_t bytes =
      std::min<std::size_t>(one.bytes - announced_, wire::most_following_bytes);
  announce(one, announced_, bytes);
  frame_sender_.queue().append_zero_copy(bytes_of(one).subspan(announced_, bytes));
  announced_ += bytes;
}

// The notice may start the next put, so the end of this one is reported before.
void put_sender::end_put() noexcept {
  const bool source_unmapped = is_source_unmapped();
  seam::transfer& one = waiting_.pop();
  const seam::transfer it = one;
  announced_ = 0;
  peers_.note_credits_or_room();
  arrivals_.end_transfer(one, source_unmapped ? seam::transfer_status::bad_local_address
                                              : seam::transfer_status::done);
  if (source_unmapped) return;
  credits_.send_held();
  send_or_schedule(add_notice(it));
}

// ---- the end ------------------------------------------------------------------------------------

// Notices that are accepted are requests, which are returned by themselves.
void put_sender::fail_pending() noexcept {
  for (; !zero_copy_puts_.empty(); --zero_copy_count_)
    arrivals_.end_transfer(zero_copy_puts_.pop(), seam::transfer_status::done);
  announced_ = 0;
  while (!waiting_.empty())
    arrivals_.end_transfer(waiting_.pop(), seam::transfer_status::unsupported);
}

}  // namespace am::detail::tcp
