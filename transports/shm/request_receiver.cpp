#include <transports/shm/request_receiver.hpp>

#include <libam/base/cache_line.hpp>
#include <libam/base/settings.hpp>
#include <transports/shm/protocol_violation.hpp>
#include <transports/shm/signal_peer.hpp>

#include <cstring>

namespace am::detail::shm {

request_receiver::request_receiver(const seam::transport_context& context, am_rank source,
                                   const layout& layout, base::shared_memory& memory,
                                   const base::wakeup& wakeup) noexcept
    : polled_ring(
          source,
          ring_reader(&object_at<slot>(memory, layout.requests_at(source, context.rank)),
                      layout.start_slots()),
          object_at<channel_state>(memory, layout.channel_at(source, context.rank)).requests_quiet,
          object_at<channel_state>(memory, layout.channel_at(source, context.rank)).requests_paused,
          object_at<control_block>(memory, layout.control_block_at(source))),
      replies_(&object_at<slot>(memory, layout.replies_at(source, context.rank)),
               layout.start_slots()),
      window_(context.settings.credits),
      silent_(std::min(window_, layout.start_slots())),
      payloads_(layout.payloads()),
      payload_done_(payloads_.room()),
      channel_(object_at<channel_state>(memory, layout.channel_at(source, context.rank))),
      pause_(channel_.replies_paused),
      arrivals_(context.arrivals),
      job_(context.job),
      most_slots_(layout.most_slots()),
      payload_(&object_at<std::byte>(memory, layout.payload_at(source, context.rank))),
      requester_{&object_at<std::byte>(memory, layout.answers_at(source, context.rank)),
                 0,
                 {memory, layout, source, context.settings.shm_bulk}},
      peer_block_(object_at<control_block>(memory, layout.control_block_at(source))),
      my_bit_(attention_bit(context.rank)),
      wakeup_(wakeup) {}

// As in request_sender::must_signal: the requester sees the slot, or this rank sees the mark.
inline bool request_receiver::must_signal() const noexcept {
  base::compiler_barrier();
  return channel_.replies_quiet.load(std::memory_order_relaxed) != 0;
}

// Returns AM_OK for the sake of reply().
am_status request_receiver::signal_requester() noexcept {
  signal_peer(peer_block_, my_bit_, wakeup_);
  return AM_OK;
}

// True: the requester must be signalled.
inline bool request_receiver::publish_reply(slot& filled, std::uint64_t control) noexcept {
  replies_.publish(filled, control);
  return must_signal();
}

unsigned request_receiver::take(unsigned budget) noexcept {
  seam::inbox::batch requests(arrivals_, peer_, this);
  // A handler cannot call take() again, so a copy of the position can stay in registers.
  ring_reader ring = ring_;
  const auto deliver = [&](std::uint64_t control, const slot& request, std::uint32_t number) {
    // Written before the handler runs: if this rank dies, younger requests have certainly not run.
    channel_.begun.store(number + 1, std::memory_order_relaxed);
    base::compiler_barrier();
    handle(requests, control, request);
    if ((control & credit_request_flag) != 0) [[unlikely]]
      write_counters();
  };
  const unsigned taken =
      ring.take(budget, deliver, [this](ring_reader& grown) { follow_growth(grown); });
  ring_ = ring;
  if (silent_.due() || payload_done_.due()) write_counters();
  return taken;
}

void request_receiver::reject_growth(std::uint32_t slots) const noexcept {
  report_violation(job_, peer(), "its ring of {} slots is to grow, where {} is the most", slots,
                   most_slots_);
}

void request_receiver::follow_growth(ring_reader& ring) noexcept {
  // The memory behind the last slot does not belong to this ring.
  if (ring.capacity() >= most_slots_) reject_growth(ring.capacity());
  ring.follow_growth();
  replies_.grow();
  if (must_signal()) signal_requester();
  silent_.widen(std::min(window_, replies_.capacity()));
}

inline void request_receiver::handle(seam::inbox::batch& requests, std::uint64_t control,
                                     const slot& request) noexcept {
  bool answered = false;
  if (kind_of(control) == kind::small) [[likely]] {
    answered = requests.request(handler_of(control), request.words);
  } else if (kind_of(control) == kind::bulk) {
    answered =
        requests.notice(handler_of(control), request.words, request.bulk.where, request.bulk.bytes);
  } else {
    answered = handle_medium(requests, control, request);
  }
  if (!answered) silent_.add(1);
}

// The place of the payload that the slot names may be wrong.
bool request_receiver::handle_medium(seam::inbox::batch& requests, std::uint64_t control,
                                     const slot& request) noexcept {
  const payload_place place = base::read_once(request.payload);
  if (kind_of(control) != kind::medium && kind_of(control) != kind::request_with_room) [[unlikely]]
    report_violation(job_, peer(), "a request of kind {}", static_cast<unsigned>(kind_of(control)));
  if (!payloads_.fits(place.offset, place.bytes)) [[unlikely]]
    report_violation(job_, peer(), "a payload of {} bytes at {} of a room of {}", place.bytes,
                     place.offset, payloads_.most_room());
  const std::byte* const data = payload_ + place.offset;
  bool answered = true;
  if (kind_of(control) == kind::medium)
    answered = requests.request(handler_of(control), request.words, data, place.bytes);
  else
    handle_request_with_room(requests, control, request, place);
  if (kind_of(control) == kind::medium || place.bytes != 0) {
    payload_done_.move_to(place.end);
    on_payload(place.bytes);
  }
  return answered;
}

// The slot also says where the answer goes, which must be in the room of this pair.
void request_receiver::handle_request_with_room(seam::inbox::batch& requests, std::uint64_t control,
                                                const slot& request,
                                                const payload_place& place) noexcept {
  requester_.answer_at = answer_offset_of(control);
  if (!payloads_.answer_fits(requester_.answer_at, place.room))
    report_violation(job_, peer(), "room for an answer of {} bytes at {} of a room of {}",
                     place.room, requester_.answer_at, payloads_.most_answer_room());
  requests.request_with_room(handler_of(control), request.words,
                             place.bytes != 0 ? payload_ + place.offset : nullptr, place.bytes,
                             place.room);
}

void request_receiver::write_counters() noexcept {
  // SYNC(payload): with the acquire in payload_writer::reclaim.
  channel_.payload_done.store(payload_done_.value(), std::memory_order_release);
  // SYNC(silent): with the acquire in request_sender::read_silent.
  channel_.silent.store(silent_.value(), std::memory_order_release);
  payload_done_.mark_published();
  silent_.mark_published();
  // Sets no bit of `attention`: a requester that is awake reads the counters when it needs credits.
  if (must_signal()) [[unlikely]]
    wake_peer(peer_block_, wakeup_);
}

am_status request_receiver::reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                                  am_word w3) noexcept {
  slot& next = flooded() ? replies_.next_in_burst() : replies_.next();
  next.fill(w0, w1, w2, w3);
  if (publish_reply(next, control_of(kind::small, handler) | silents_in_control(silent_.value())))
      [[unlikely]]
    return signal_requester();
  return AM_OK;
}

void request_receiver::reply_at(std::uint32_t handler, const am_word* words, void* where,
                                std::size_t bytes) noexcept {
  slot& next = replies_.next();
  std::memcpy(next.words, words, sizeof next.words);
  next.bulk = {where, bytes};
  if (publish_reply(next, control_of(kind::bulk, handler) | silents_in_control(silent_.value())))
    signal_requester();
}

void request_receiver::return_request(am_status reason, std::uint32_t handler,
                                      const am_word* words) noexcept {
  slot& next = replies_.next();
  std::memcpy(next.words, words, sizeof next.words);
  next.payload = {0, 0, silent_.value(), 0};
  if (publish_reply(next, control_of(kind::returned, handler) | reason_in_control(reason)))
    signal_requester();
}

// The room belongs to the request until the requester has taken the answer.
void request_receiver::answer(const seam::answer& one) noexcept {
  using form = seam::answer::form;
  slot& next = replies_.next();
  std::memcpy(next.words, one.words, sizeof next.words);
  next.bulk = {const_cast<void*>(one.data), one.bytes};
  if (one.what == form::payload) {
    std::memcpy(requester_.room + requester_.answer_at, one.data, one.bytes);
    next.bulk.where = reinterpret_cast<void*>(std::uintptr_t{requester_.answer_at});
  } else if (one.what == form::returned) {
    next.bulk.bytes = one.reason;
  }
  if (publish_reply(next, control_of(kind::answer, one.handler, form_in_control(one.what)) |
                              silents_in_control(silent_.value())))
    signal_requester();
}

}  // namespace am::detail::shm
