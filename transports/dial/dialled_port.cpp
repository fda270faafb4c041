#include <transports/dial/dialled_port.hpp>

#include <transports/dial/dialled_transport.hpp>

#include <new>
#include <utility>

namespace am::detail::dial {

// A message that has found no room is tried again: it costs its sender the overhead once.
ticks dialled_port::spend_overhead_once(std::size_t bytes) noexcept {
  const bool spent = std::exchange(overhead_spent_, false);
  return spent ? network_.now() : network_.sending().spend_overhead(peer, bytes);
}

void dialled_port::stamp_request(ticks now, std::size_t bytes) noexcept {
  network_.sending().stamp_message(peer, seam::message_class::request, number_, now, bytes);
}

// The stamp comes before a message that is certainly sent, because sending may take long. What a
// message has spent that found no room and was given up is not this one's.
void dialled_port::send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                        am_word w3) noexcept {
  overhead_spent_ = false;
  stamp_request(spend_overhead_once(0), 0);
  forwarding_port::send(handler, w0, w1, w2, w3);
}

void dialled_port::send_notice(std::uint32_t handler, const am_word* words, void* where,
                               std::size_t bytes) noexcept {
  stamp_request(spend_overhead_once(bytes), bytes);
  forwarding_port::send_notice(handler, words, where, bytes);
}

am_status dialled_port::stamp_if_sent(am_status status, ticks now, std::size_t bytes) noexcept {
  if (status == AM_OK) stamp_request(now, bytes);
  overhead_spent_ = am_status_reason(status) == AM_REASON_AGAIN;
  return status;
}

am_status dialled_port::send_medium(std::uint32_t handler, const am_word* words, const void* data,
                                    std::size_t bytes) noexcept {
  const ticks now = spend_overhead_once(bytes);
  return stamp_if_sent(forwarding_port::send_medium(handler, words, data, bytes), now, bytes);
}

am_status dialled_port::send_with_room(std::uint32_t handler, const am_word* words,
                                       const void* data, std::size_t bytes,
                                       seam::answer_place room) noexcept {
  const ticks now = spend_overhead_once(bytes);
  return stamp_if_sent(forwarding_port::send_with_room(handler, words, data, bytes, room), now,
                       bytes);
}

// A notice that the transport sends later would have its stamp in another place.
seam::transfer_status dialled_port::put(seam::transfer& one) noexcept {
  if (!is_direct()) return seam::transfer_status::unsupported;
  const ticks now = spend_overhead_once(one.bytes);
  const seam::transfer_status reached = forwarding_port::put(one);
  if (reached == seam::transfer_status::done) stamp_request(now, one.bytes);
  overhead_spent_ = reached == seam::transfer_status::busy;
  return reached;
}

seam::transfer_status dialled_port::get(seam::transfer& one) noexcept {
  if (!is_direct()) return seam::transfer_status::unsupported;
  const ticks now = spend_overhead_once(0);
  const seam::transfer_status reached = forwarding_port::get(one);
  overhead_spent_ = reached == seam::transfer_status::busy;
  if (reached != seam::transfer_status::done) return reached;
  try {
    network_.end_get_later(peer, one, now);
  } catch (const std::bad_alloc&) {
    return reached;  // it ends early rather than not at all
  }
  return seam::transfer_status::under_way;
}

// Where the inner port delivers nothing here, input waits for the next poll.
void dialled_port::poll_once() noexcept {
  if (is_direct()) (void)transport_.poll(most_batch);
}

std::uint32_t dialled_port::poll_after_send() noexcept {
  network_.sending().end_message();
  if (!is_direct() || transport_.poll(most_batch) == 0) network_.sending().end_request();
  return 0;
}

void dialled_port::fail_pending(seam::failure_sink& sink) noexcept {
  network_.fail_gets(peer);
  forwarding_port::fail_pending(sink);
}

}  // namespace am::detail::dial
