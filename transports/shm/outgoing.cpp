#include <libam/base/cache_line.hpp>
#include <libam/base/settings.hpp>
#include <transports/shm/accuse.hpp>
#include <transports/shm/door.hpp>
#include <transports/shm/outgoing.hpp>
#include <transports/shm/places.hpp>

#include <cstring>

namespace am::detail::shm {

outgoing::outgoing(const seam::host& host, am_rank peer, const layout& places,
                   base::shared_memory& memory, poller& rings) noexcept
    : plain_port(peer, shm_can),
      watch(peer,
            ring_reader(&object_at<slot>(memory, places.replies_at(host.rank, peer)),
                        places.start_slots()),
            object_at<channel_lines>(memory, places.lines_at(host.rank, peer)).replies_quiet,
            object_at<channel_lines>(memory, places.lines_at(host.rank, peer)).replies_paused,
            object_at<doorstep>(memory, places.doorstep_at(peer))),
      requests_(&object_at<slot>(memory, places.requests_at(host.rank, peer)),
                places.start_slots()),
      lines_(object_at<channel_lines>(memory, places.lines_at(host.rank, peer))),
      pause_(lines_.requests_paused),
      their_doorstep_(object_at<doorstep>(memory, places.doorstep_at(peer))),
      arrivals_(host.arrivals),
      job_(host.job),
      my_bit_(attention_bit(host.rank)),
      rings_(rings),
      growth_(host.rank, peer, host.settings.credits, places, memory),
      payload_(host.job, host.rank, peer, places, memory),
      answers_(host.rank, peer, places, memory),
      theirs_(memory, places, peer, host.settings.shm_bulk) {
  account_.raise_limit(growth_.credits_for(requests_.capacity()));
}

// SYNC(silent): with the release in incoming::publish. The target is done with those slots.
inline void outgoing::read_silent() noexcept {
  const std::uint32_t silent = lines_.silent.load(std::memory_order_acquire);
  if (!account_.may_be_silent(silent)) [[unlikely]]
    accuse(job_, watch::peer(), "{} silent requests, with {} on their way", silent,
           account_.on_their_way());
  account_.silent_read(silent);
  if (static_cast<std::int16_t>(silent - silents_heard_) > 0)
    silents_heard_ = static_cast<std::uint16_t>(silent);
}

// The target marks its ring quiet, makes everyone pass a barrier, and looks once more: so either it
// sees what was written or this rank sees the mark. The compiler must keep the order, no more.
inline bool outgoing::must_knock() const noexcept {
  base::compiler_barrier();
  return lines_.requests_quiet.load(std::memory_order_relaxed) != 0;
}

// Says AM_OK, so that a request can end in it.
am_status outgoing::knock() noexcept {
  shm::knock(their_doorstep_, my_bit_, rings_.bell());
  return AM_OK;
}

inline void outgoing::publish(slot& filled, kind what, std::uint32_t handler,
                              std::uint64_t more) noexcept {
  std::uint64_t flags = more;
  if (account_.free() == 0) [[unlikely]] {
    read_silent();
    if (account_.free() == 0) flags |= hungry_flag;
  }
  requests_.publish(filled, control_of(what, handler, flags));
  rings_.has_written(*this);
  if (must_knock()) [[unlikely]]
    knock();
}

void outgoing::send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
                    am_word w3) noexcept {
  slot& next = requests_.next();
  next.fill(w0, w1, w2, w3);
  publish(next, kind::small, handler);
}

// What publish does beside, the run has done: its credits are not the last, and the poller knows
// since it was started that this rank writes.
am_status outgoing::send_in_run(const am_handler* handler, am_word w3, am_word w0, am_word w1,
                                am_word w2) noexcept {
  slot& next = requests_.next_of_many();
  next.fill(w0, w1, w2, w3);
  requests_.publish(next, control_of(kind::small, handler->id));
  if (must_knock()) [[unlikely]]
    return knock();
  return AM_OK;
}

am_status outgoing::send_medium(std::uint32_t handler, const am_word* words, const void* data,
                                std::size_t bytes) noexcept {
  payload_out::place place{};
  if (const am_status status = payload_.put(data, bytes, place); status != AM_OK) return status;
  slot& next = requests_.next();
  std::memcpy(next.words, words, sizeof next.words);
  next.payload = {place.offset, static_cast<std::uint32_t>(bytes), place.end, 0};
  publish(next, kind::medium, handler);
  return AM_OK;
}

am_status outgoing::send_with_room(std::uint32_t handler, const am_word* words, const void* data,
                                   std::size_t bytes, seam::answer_place room) noexcept {
  payload_out::place place{};
  if (bytes != 0) {
    if (const am_status status = payload_.put(data, bytes, place); status != AM_OK) return status;
  }
  slot& next = requests_.next();
  std::memcpy(next.words, words, sizeof next.words);
  next.payload = {place.offset, static_cast<std::uint32_t>(bytes), place.end, room.bytes};
  publish(next, kind::asking, handler, room_in_control(room.offset));
  return AM_OK;
}

am_status outgoing::make_answer_room(std::size_t bytes) noexcept { return answers_.make(bytes); }

seam::reach outgoing::put(seam::transfer& one) noexcept {
  const seam::reach reached = theirs_.put(one.there, one.here, one.bytes);
  if (reached == seam::reach::done) send_bulk(one.handler, one.words, one.there, one.bytes);
  return reached;
}

void outgoing::send_bulk(std::uint32_t handler, const am_word* words, void* where,
                         std::size_t bytes) noexcept {
  slot& next = requests_.next();
  std::memcpy(next.words, words, sizeof next.words);
  next.bulk = {where, bytes};
  publish(next, kind::bulk, handler);
}

void outgoing::refresh() noexcept {
  read_silent();
  if (account_.free() == 0 && growth_.possible()) grow();
}

bool outgoing::collect() noexcept {
  const std::uint32_t before = account_.free();
  read_silent();
  const bool room = payload_.take_back();
  return room || account_.free() != before;
}

void outgoing::grow() noexcept {
  if (growth_.begin(requests_.capacity(), account_.limit())) requests_.grow();
}

// What stands in the slot may change while it is looked at.
void outgoing::take_answer(seam::inbox::batch& answers, std::uint64_t control,
                           const slot& reply) noexcept {
  using form = seam::answer::form;
  const bulk_place place = base::copied_once(reply.bulk);
  seam::answer one{form{form_of(control)}, handler_of(control), reply.words, place.where,
                   place.bytes};
  if (one.what == form::payload) {
    const auto offset = reinterpret_cast<std::uintptr_t>(place.where);
    if (!answers_.holds(offset, place.bytes))
      accuse(job_, watch::peer(), "an answer of {} bytes at {} of a room of {}", place.bytes,
             offset, answers_.bytes());
    one.data = answers_.at(offset);
  } else if (one.what == form::returned) {
    one.reason = seam::told_reason(place.bytes);
    one.bytes = 0;
  } else if (one.what > form::returned) {
    accuse(job_, watch::peer(), "an answer of form {}", unsigned{form_of(control)});
  }
  answers.answered(one);
}

unsigned outgoing::take(unsigned budget) noexcept {
  seam::inbox::batch replies(arrivals_, watch::peer(), nullptr);
  ring_reader ring = ring_;
  std::uint16_t silents = silents_heard_;
  const auto deliver = [&](std::uint64_t control, const slot& reply, std::uint32_t) {
    if (kind_of(control) == kind::small) [[likely]] {
      silents = silents_of(control);
      replies.reply(handler_of(control), reply.words);
    } else {
      silents = deliver_rare(replies, control, reply);
    }
  };
  const unsigned taken = ring.take(budget, deliver, [&] {
    // The target has followed: both rings have the new half, so more requests may be out.
    if (!growth_.under_way())
      accuse(job_, watch::peer(), "its replies grow beyond {} slots unasked", ring.capacity());
    ring.follow_growth();
    growth_.end();
    account_.raise_limit(growth_.credits_for(ring.capacity()));
  });
  ring_ = ring;
  silents_heard_ = silents;
  account_.replies_consumed(taken);
  if (!account_.in_order()) [[unlikely]]
    accuse(job_, watch::peer(), "{} answers more than there were requests", account_.surplus());
  return taken;
}

// Any reply but a small one. Says how many silent requests there had been before it.
std::uint16_t outgoing::deliver_rare(seam::inbox::batch& replies, std::uint64_t control,
                                     const slot& reply) noexcept {
  if (kind_of(control) == kind::bulk) {
    replies.placed_reply(handler_of(control), reply.words, reply.bulk.where, reply.bulk.bytes);
    return silents_of(control);
  }
  if (kind_of(control) == kind::answer) {
    take_answer(replies, control, reply);
    return silents_of(control);
  }
  if (kind_of(control) != kind::returned)
    accuse(job_, watch::peer(), "a reply of kind {}", static_cast<unsigned>(kind_of(control)));
  const auto silents = static_cast<std::uint16_t>(reply.payload.end);
  replies.returned(reason_of(control), handler_of(control), reply.words);
  return silents;
}

}  // namespace am::detail::shm
