#include <libam/base/log.hpp>
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
      payload_(&object_at<std::byte>(memory, places.payload_at(host.rank, peer))),
      window_(host.settings.credits),
      my_bit_(attention_bit(host.rank)),
      rings_(rings),
      places_(places),
      rank_(host.rank),
      memory_(memory),
      theirs_(memory, places, peer, host.settings.shm_bulk) {
  account_.raise_limit(credits_for(requests_.capacity()));
}

// A slot is free when its request's credit is home, but for two: the one whose handler still runs
// after it has replied, and, while the ring can grow, the one that says so.
std::uint32_t outgoing::credits_for(std::uint32_t slots) const noexcept {
  const std::uint32_t kept = slots < places_.most_slots() ? 2 : 1;
  return std::min(window_, slots - kept);
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

inline void outgoing::publish(slot& filled, kind what, std::uint32_t handler) noexcept {
  std::uint64_t flags = 0;
  if (account_.free() == 0) [[unlikely]] {
    read_silent();
    if (account_.free() == 0) flags = hungry_flag;
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
  if (!payload_reserved_) [[unlikely]] {
    if (const am_status status = reserve_payload(); status != AM_OK) return status;
  }
  if (room_was_short_ && room_.may_grow(bytes)) [[unlikely]]
    grow_room();
  auto place = room_.take(bytes);
  if (!place) place = make_room(bytes);
  if (!place) return AM_AGAIN_PAYLOAD;
  if (bytes != 0) std::memcpy(payload_ + place->offset, data, bytes);
  slot& next = requests_.next();
  std::memcpy(next.words, words, sizeof next.words);
  next.payload = {place->offset, static_cast<std::uint32_t>(bytes), place->end};
  publish(next, kind::medium, handler);
  return AM_OK;
}

// Of what the target has done with. A room that is still too small grows, at its next end.
std::optional<wire::payload_room::place> outgoing::make_room(std::size_t bytes) noexcept {
  (void)read_payload_done();
  if (const auto place = room_.take(bytes)) return place;
  room_was_short_ = may_grow_room_;
  return std::nullopt;
}

// True: it has moved.
// SYNC(payload): with the release in incoming::publish. The target is done with those bytes.
bool outgoing::read_payload_done() noexcept {
  const std::uint32_t done = lines_.payload_done.load(std::memory_order_acquire);
  if (!room_.may_be(done)) [[unlikely]]
    accuse(job_, watch::peer(), "it has done with {} bytes of payload, which were never sent",
           done);
  return room_.given_back(done);
}

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
  if (account_.free() == 0 && may_grow_ && !growing_) grow();
}

bool outgoing::collect() noexcept {
  const std::uint32_t before = account_.free();
  read_silent();
  const bool room = read_payload_done();
  return room || account_.free() != before;
}

// Payload room is reserved with the first medium message: most pairs never have one.
am_status outgoing::reserve_payload() noexcept {
  const am_status status =
      memory_.reserve(places_.payload_at(rank_, watch::peer()), wire::payload_room_bytes);
  payload_reserved_ = status == AM_OK;
  return status;
}

void outgoing::grow_room() noexcept {
  room_was_short_ = false;
  const std::uint32_t size = room_.size();
  const std::size_t end = places_.payload_at(rank_, watch::peer()) + size;
  may_grow_room_ = size < wire::most_room_bytes &&
                   memory_.room() >= places_.message_bytes() + size &&
                   memory_.reserve(end, size) == AM_OK;
  if (may_grow_room_) room_.grow();
}

void outgoing::grow() noexcept {
  const std::uint32_t slots = requests_.capacity();
  const std::size_t half = slots * sizeof(slot);
  const am_rank to = watch::peer();
  may_grow_ = slots < places_.most_slots() && credits_for(2 * slots) > account_.limit();
  if (!may_grow_) return;
  // Where there is little, other pairs need it more.
  if (memory_.room() < places_.message_bytes() + 2 * half ||
      memory_.reserve(places_.requests_at(rank_, to) + half, half) != AM_OK ||
      memory_.reserve(places_.replies_at(rank_, to) + half, half) != AM_OK) {
    may_grow_ = false;
    base::log(base::log_level::info,
              "shm: the ring to rank {} stays at {} slots: no memory for {} more", to, slots,
              slots);
    return;
  }
  growing_ = true;
  requests_.grow();
}

unsigned outgoing::take(unsigned budget) noexcept {
  seam::inbox::batch replies(arrivals_, watch::peer(), nullptr);
  ring_reader ring = ring_;
  unsigned taken = 0;
  std::uint16_t silents = silents_heard_;
  while (taken < budget) {
    const std::uint64_t control = ring.look();
    if (!ring.is_full(control)) break;
    const slot& reply = ring.front();
    if (kind_of(control) == kind::small) [[likely]] {
      silents = silents_of(control);
      replies.reply(handler_of(control), reply.words);
    } else if (kind_of(control) == kind::bulk) {
      silents = silents_of(control);
      replies.placed_reply(handler_of(control), reply.words, reply.bulk.where, reply.bulk.bytes);
    } else if (kind_of(control) == kind::grow) {
      // The target has followed: both rings have the new half, so more requests may be out.
      if (!growing_)
        accuse(job_, watch::peer(), "its replies grow beyond {} slots unasked", ring.capacity());
      ring.follow_growth();
      growing_ = false;
      account_.raise_limit(credits_for(ring.capacity()));
      continue;
    } else {
      if (kind_of(control) != kind::returned)
        accuse(job_, watch::peer(), "a reply of kind {}", static_cast<unsigned>(kind_of(control)));
      silents = static_cast<std::uint16_t>(reply.payload.end);
      replies.returned(reason_of(control), handler_of(control), reply.words);
    }
    ring.take_along();
    ring.advance();
    ++taken;
  }
  ring_ = ring;
  silents_heard_ = silents;
  account_.replies_consumed(taken);
  if (!account_.in_order()) [[unlikely]]
    accuse(job_, watch::peer(), "{} answers more than there were requests", account_.surplus());
  return taken;
}

}  // namespace am::detail::shm
