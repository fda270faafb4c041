#include <libam/base/cache_line.hpp>
#include <libam/base/settings.hpp>
#include <transports/shm/accuse.hpp>
#include <transports/shm/door.hpp>
#include <transports/shm/incoming.hpp>
#include <transports/shm/places.hpp>

#include <cstring>

namespace am::detail::shm {

incoming::incoming(const seam::host& host, am_rank source, const layout& places,
                   base::shared_memory& memory, const base::bell& bell) noexcept
    : watch(source,
            ring_reader(&object_at<slot>(memory, places.requests_at(source, host.rank)),
                        places.start_slots()),
            object_at<channel_lines>(memory, places.lines_at(source, host.rank)).requests_quiet,
            object_at<channel_lines>(memory, places.lines_at(source, host.rank)).requests_paused,
            object_at<doorstep>(memory, places.doorstep_at(source))),
      replies_(&object_at<slot>(memory, places.replies_at(source, host.rank)),
               places.start_slots()),
      window_(host.settings.credits),
      silent_(std::min(window_, places.start_slots())),
      payloads_(places.payloads()),
      payload_done_(payloads_.room()),
      lines_(object_at<channel_lines>(memory, places.lines_at(source, host.rank))),
      pause_(lines_.replies_paused),
      arrivals_(host.arrivals),
      job_(host.job),
      most_slots_(places.most_slots()),
      payload_(&object_at<std::byte>(memory, places.payload_at(source, host.rank))),
      theirs_{&object_at<std::byte>(memory, places.answers_at(source, host.rank)),
              0,
              {memory, places, source, host.settings.shm_bulk}},
      their_doorstep_(object_at<doorstep>(memory, places.doorstep_at(source))),
      my_bit_(attention_bit(host.rank)),
      bell_(bell) {}

// As in outgoing::must_knock: the requester sees what was written, or this rank sees the mark.
inline bool incoming::must_knock() const noexcept {
  base::compiler_barrier();
  return lines_.replies_quiet.load(std::memory_order_relaxed) != 0;
}

// Says AM_OK, so that a reply can end in it.
am_status incoming::knock() noexcept {
  shm::knock(their_doorstep_, my_bit_, bell_);
  return AM_OK;
}

// True: the requester must be knocked at.
inline bool incoming::put(slot& filled, std::uint64_t control) noexcept {
  replies_.publish(filled, control);
  return must_knock();
}

unsigned incoming::take(unsigned budget) noexcept {
  seam::inbox::batch requests(arrivals_, peer_, this);
  // A handler cannot come back here, so the position may live in registers meanwhile.
  ring_reader ring = ring_;
  const auto deliver = [&](std::uint64_t control, const slot& request, std::uint32_t number) {
    // Said before it runs: whatever is younger has certainly not run if this rank dies.
    lines_.begun.store(number + 1, std::memory_order_relaxed);
    base::compiler_barrier();
    handle(requests, control, request);
    if ((control & hungry_flag) != 0) [[unlikely]]
      publish();
  };
  const unsigned taken = ring.take(budget, deliver, [&] {
    // Behind the last slot begins what is not this ring's.
    if (ring.capacity() >= most_slots_) accuse_growth(ring.capacity());
    ring.follow_growth();
    follow_growth();
  });
  ring_ = ring;
  if (silent_.due() || payload_done_.due()) publish();
  return taken;
}

void incoming::accuse_growth(std::uint32_t slots) const noexcept {
  accuse(job_, peer(), "its ring of {} slots is to grow, where {} is the most", slots, most_slots_);
}

void incoming::follow_growth() noexcept {
  replies_.grow();
  if (must_knock()) knock();
  silent_.widen(std::min(window_, replies_.capacity()));
}

inline void incoming::handle(seam::inbox::batch& requests, std::uint64_t control,
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

// The slot says where in the room the payload stands, and may lie.
bool incoming::handle_medium(seam::inbox::batch& requests, std::uint64_t control,
                             const slot& request) noexcept {
  const payload_place place = base::copied_once(request.payload);
  if (kind_of(control) != kind::medium && kind_of(control) != kind::asking) [[unlikely]]
    accuse(job_, peer(), "a request of kind {}", static_cast<unsigned>(kind_of(control)));
  if (!payloads_.fit(place.offset, place.bytes)) [[unlikely]]
    accuse(job_, peer(), "a payload of {} bytes at {} of a room of {}", place.bytes, place.offset,
           payloads_.most_room());
  const std::byte* const data = payload_ + place.offset;
  bool answered = true;
  if (kind_of(control) == kind::medium)
    answered = requests.request(handler_of(control), request.words, data, place.bytes);
  else
    handle_asking(requests, control, request, place);
  if (kind_of(control) == kind::medium || place.bytes != 0) {
    payload_done_.move_to(place.end);
    payload_came(place.bytes);
  }
  return answered;
}

// It also says where its answer goes, which must not be in anybody else's memory.
void incoming::handle_asking(seam::inbox::batch& requests, std::uint64_t control,
                             const slot& request, const payload_place& place) noexcept {
  theirs_.at = room_of(control);
  if (!payloads_.answer_fits(theirs_.at, place.room))
    accuse(job_, peer(), "room for an answer of {} bytes at {} of a room of {}", place.room,
           theirs_.at, payloads_.most_answer_room());
  requests.request_with_room(handler_of(control), request.words,
                             place.bytes != 0 ? payload_ + place.offset : nullptr, place.bytes,
                             place.room);
}

void incoming::publish() noexcept {
  // SYNC(payload): with the acquire in payload_out::take_back.
  lines_.payload_done.store(payload_done_.value(), std::memory_order_release);
  // SYNC(silent): with the acquire in outgoing::read_silent.
  lines_.silent.store(silent_.value(), std::memory_order_release);
  payload_done_.published();
  silent_.published();
  // No bit of the doorstep: this is no message, and a requester that is awake asks for it itself.
  if (must_knock()) [[unlikely]]
    wake(their_doorstep_, bell_);
}

am_status incoming::reply(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                          am_word w3) noexcept {
  slot& next = flooded() ? replies_.next_of_many() : replies_.next();
  next.fill(w0, w1, w2, w3);
  if (put(next, control_of(kind::small, handler) | silents_in_control(silent_.value())))
      [[unlikely]]
    return knock();
  return AM_OK;
}

void incoming::reply_at(std::uint32_t handler, const am_word* words, void* where,
                        std::size_t bytes) noexcept {
  slot& next = replies_.next();
  std::memcpy(next.words, words, sizeof next.words);
  next.bulk = {where, bytes};
  if (put(next, control_of(kind::bulk, handler) | silents_in_control(silent_.value()))) knock();
}

void incoming::give_back(am_status reason, std::uint32_t handler, const am_word* words) noexcept {
  slot& next = replies_.next();
  std::memcpy(next.words, words, sizeof next.words);
  next.payload = {0, 0, silent_.value(), 0};
  if (put(next, control_of(kind::returned, handler) | reason_in_control(reason))) knock();
}

// The room is this request's until the requester has had the answer.
void incoming::answer(const seam::answer& one) noexcept {
  using form = seam::answer::form;
  slot& next = replies_.next();
  std::memcpy(next.words, one.words, sizeof next.words);
  next.bulk = {const_cast<void*>(one.data), one.bytes};
  if (one.what == form::payload) {
    std::memcpy(theirs_.room + theirs_.at, one.data, one.bytes);
    next.bulk.where = reinterpret_cast<void*>(std::uintptr_t{theirs_.at});
  } else if (one.what == form::returned) {
    next.bulk.bytes = one.reason;
  }
  if (put(next, control_of(kind::answer, one.handler, form_in_control(one.what)) |
                    silents_in_control(silent_.value())))
    knock();
}

}  // namespace am::detail::shm
