#include <transports/shm/request_sender.hpp>

#include <libam/base/cache_line.hpp>
#include <libam/base/settings.hpp>
#include <transports/shm/protocol_violation.hpp>
#include <transports/shm/signal_peer.hpp>

#include <cstring>

namespace am::detail::shm {

request_sender::request_sender(const seam::transport_context& context, am_rank peer,
                               const layout& layout, base::shared_memory& memory,
                               poller& rings) noexcept
    : plain_port(peer, shm_caps),
      polled_ring(
          peer,
          ring_reader(&object_at<slot>(memory, layout.replies_at(context.rank, peer)),
                      layout.start_slots()),
          object_at<channel_state>(memory, layout.channel_at(context.rank, peer)).replies_quiet,
          object_at<channel_state>(memory, layout.channel_at(context.rank, peer)).replies_paused,
          object_at<control_block>(memory, layout.control_block_at(peer))),
      requests_(&object_at<slot>(memory, layout.requests_at(context.rank, peer)),
                layout.start_slots()),
      channel_(object_at<channel_state>(memory, layout.channel_at(context.rank, peer))),
      pause_(channel_.requests_paused),
      peer_block_(object_at<control_block>(memory, layout.control_block_at(peer))),
      arrivals_(context.arrivals),
      job_(context.job),
      my_bit_(attention_bit(context.rank)),
      poller_(rings),
      growth_(context.rank, peer, context.settings.credits, layout, memory),
      payload_(context.job, context.rank, peer, layout, memory),
      answers_(context.rank, peer, layout, memory),
      peer_memory_(memory, layout, peer, context.settings.shm_bulk) {
  account_.raise_limit(growth_.credits_for(requests_.capacity()));
}

// SYNC(silent): with the release in request_receiver::write_counters. The target is done with those
// slots.
inline void request_sender::read_silent() noexcept {
  const std::uint32_t silent = channel_.silent.load(std::memory_order_acquire);
  if (!account_.is_valid_silent(silent)) [[unlikely]]
    report_violation(job_, polled_ring::peer(), "{} silent requests, with {} in flight", silent,
                     account_.in_flight());
  account_.book_silent(silent);
  if (static_cast<std::int16_t>(silent - silents_seen_) > 0)
    silents_seen_ = static_cast<std::uint16_t>(silent);
}

// The target marks its ring quiet, makes every process pass a barrier, and checks again: so either
// it sees the slot or this rank sees the mark. Here only the compiler must keep the order.
inline bool request_sender::must_signal() const noexcept {
  base::compiler_barrier();
  return channel_.requests_quiet.load(std::memory_order_relaxed) != 0;
}

// Returns AM_OK for the sake of send_in_run().
am_status request_sender::signal_target() noexcept {
  signal_peer(peer_block_, my_bit_, poller_.wakeup());
  return AM_OK;
}

inline void request_sender::publish(slot& filled, kind what, std::uint32_t handler,
                                    std::uint64_t more) noexcept {
  std::uint64_t flags = more;
  if (account_.free() == 0) [[unlikely]] {
    read_silent();
    if (account_.free() == 0) flags |= credit_request_flag;
  }
  requests_.publish(filled, control_of(what, handler, flags));
  poller_.note_write(*this);
  if (must_signal()) [[unlikely]]
    signal_target();
}

void request_sender::send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                          am_word w3) noexcept {
  slot& next = requests_.next();
  next.fill(w0, w1, w2, w3);
  publish(next, kind::small, handler);
}

// A run need not do what publish() does beside: its credits are not the last, and note_write was
// called before it started.
am_status request_sender::send_in_run(const am_handler* handler, am_word w3, am_word w0, am_word w1,
                                      am_word w2) noexcept {
  slot& next = requests_.next_in_burst();
  next.fill(w0, w1, w2, w3);
  requests_.publish(next, control_of(kind::small, handler->id));
  if (must_signal()) [[unlikely]]
    return signal_target();
  return AM_OK;
}

am_status request_sender::send_medium(std::uint32_t handler, const am_word* words, const void* data,
                                      std::size_t bytes) noexcept {
  payload_writer::place place{};
  if (const am_status status = payload_.put(data, bytes, place); status != AM_OK) return status;
  slot& next = requests_.next();
  std::memcpy(next.words, words, sizeof next.words);
  next.payload = {place.offset, static_cast<std::uint32_t>(bytes), place.end, 0};
  publish(next, kind::medium, handler);
  return AM_OK;
}

am_status request_sender::send_with_room(std::uint32_t handler, const am_word* words,
                                         const void* data, std::size_t bytes,
                                         seam::answer_place room) noexcept {
  payload_writer::place place{};
  if (bytes != 0) {
    if (const am_status status = payload_.put(data, bytes, place); status != AM_OK) return status;
  }
  slot& next = requests_.next();
  std::memcpy(next.words, words, sizeof next.words);
  next.payload = {place.offset, static_cast<std::uint32_t>(bytes), place.end, room.bytes};
  publish(next, kind::request_with_room, handler, answer_offset_in_control(room.offset));
  return AM_OK;
}

am_status request_sender::make_answer_room(std::size_t bytes) noexcept {
  return answers_.make(bytes);
}

seam::transfer_status request_sender::put(seam::transfer& one) noexcept {
  const seam::transfer_status reached = peer_memory_.put(one.there, one.here, one.bytes);
  if (reached == seam::transfer_status::done)
    send_notice(one.handler, one.words, one.there, one.bytes);
  return reached;
}

void request_sender::send_notice(std::uint32_t handler, const am_word* words, void* where,
                                 std::size_t bytes) noexcept {
  slot& next = requests_.next();
  std::memcpy(next.words, words, sizeof next.words);
  next.bulk = {where, bytes};
  publish(next, kind::bulk, handler);
}

void request_sender::refresh_credits() noexcept {
  read_silent();
  if (account_.free() == 0 && growth_.possible()) grow();
}

bool request_sender::read_counters() noexcept {
  const std::uint32_t before = account_.free();
  read_silent();
  const bool room = payload_.reclaim();
  return room || account_.free() != before;
}

void request_sender::grow() noexcept {
  if (growth_.begin(requests_.capacity(), account_.limit())) requests_.grow();
}

// The slot may change while it is read.
void request_sender::deliver_answer(seam::inbox::batch& answers, std::uint64_t control,
                                    const slot& reply) noexcept {
  using form = seam::answer::form;
  const bulk_place place = base::read_once(reply.bulk);
  seam::answer one{form{form_of(control)}, handler_of(control), reply.words, place.where,
                   place.bytes};
  if (one.what == form::payload) {
    const auto offset = reinterpret_cast<std::uintptr_t>(place.where);
    if (!answers_.holds(offset, place.bytes))
      report_violation(job_, polled_ring::peer(), "an answer of {} bytes at {} of a room of {}",
                       place.bytes, offset, answers_.bytes());
    one.data = answers_.at(offset);
  } else if (one.what == form::returned) {
    one.reason = seam::checked_reason(place.bytes);
    one.bytes = 0;
  } else if (one.what > form::returned) {
    report_violation(job_, polled_ring::peer(), "an answer of form {}", unsigned{form_of(control)});
  }
  answers.deliver_answer(one);
}

unsigned request_sender::take(unsigned budget) noexcept {
  seam::inbox::batch replies(arrivals_, polled_ring::peer(), nullptr);
  ring_reader ring = ring_;
  std::uint16_t silents = silents_seen_;
  const auto deliver = [&](std::uint64_t control, const slot& reply, std::uint32_t) {
    if (kind_of(control) == kind::small) [[likely]] {
      silents = silents_of(control);
      replies.reply(handler_of(control), reply.words);
    } else {
      silents = deliver_rare(replies, control, reply);
    }
  };
  const unsigned taken =
      ring.take(budget, deliver, [this](ring_reader& grown) { follow_growth(grown); });
  ring_ = ring;
  silents_seen_ = silents;
  account_.book_replies(taken);
  if (!account_.is_consistent()) [[unlikely]]
    report_violation(job_, polled_ring::peer(), "{} more answers than there were requests",
                     account_.surplus());
  return taken;
}

// The target has followed: both rings have the new half, so more requests may be in flight.
void request_sender::follow_growth(ring_reader& ring) noexcept {
  if (!growth_.under_way())
    report_violation(job_, polled_ring::peer(),
                     "its replies grow beyond {} slots without a request", ring.capacity());
  ring.follow_growth();
  growth_.end();
  account_.raise_limit(growth_.credits_for(ring.capacity()));
}

// Any reply but a small one. Returns how many silent requests had been handled before it.
std::uint16_t request_sender::deliver_rare(seam::inbox::batch& replies, std::uint64_t control,
                                           const slot& reply) noexcept {
  if (kind_of(control) == kind::bulk) {
    replies.placed_reply(handler_of(control), reply.words, reply.bulk.where, reply.bulk.bytes);
    return silents_of(control);
  }
  if (kind_of(control) == kind::answer) {
    deliver_answer(replies, control, reply);
    return silents_of(control);
  }
  if (kind_of(control) != kind::returned)
    report_violation(job_, polled_ring::peer(), "a reply of kind {}",
                     static_cast<unsigned>(kind_of(control)));
  const auto silents = static_cast<std::uint16_t>(reply.payload.end);
  replies.deliver_returned(reason_of(control), handler_of(control), reply.words);
  return silents;
}

}  // namespace am::detail::shm
