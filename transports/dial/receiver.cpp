#include <transports/dial/receiver.hpp>

#include <libam/base/log.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::dial {
namespace {

std::uint8_t bit_of(seam::message_class what) noexcept {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(what));
}

}  // namespace

receiver::receiver(const lanes& all, am_rank rank, am_rank ranks, const spinner& clock,
                   const base::dials& of)
    : clock_(clock),
      latency_(clock.of_ns(of.L)),
      is_whole_(of.whole_L),
      longest_pause_(clock.of_ns(5000)),
      card_(clock.of_ns(of.g_r)),
      gap_use_("g_r", clock.of_ns(of.g_r)),
      sizes_{of.fragment, of.threshold},
      latency_of_(clock, rank, ranks, delay_function::direction::from_peer),
      gap_of_(clock, rank, ranks, delay_function::direction::from_peer),
      own_gap_(of.added_g_r, clock) {
  sources_.reserve(ranks);
  for (am_rank from = 0; from < ranks; ++from) sources_.push_back({all.from(from)});
}

am_status receiver::load_functions(const base::dials& of) {
  const am_status status = latency_of_.load("L", of.L_file);
  return status == AM_OK ? gap_of_.load("g_r", of.g_r_file) : status;
}

unsigned receiver::deliver(route& by, unsigned budget, ticks start) noexcept {
  ticks now = start;
  ticks pause = std::min(now - std::exchange(by.last_poll, now), longest_pause_);
  if (pause == longest_pause_) by.polls_since = now;
  busy_since_ = now;
  if (!find_fronts()) return 0;
  if (latency_ != 0 || latency_of_.exists()) learn_flights(by, now);
  unsigned taken = 0;
  while (taken < budget) {
    source* const next = find_earliest(by);
    if (next == nullptr || !wait_until_due(*next, now, pause)) break;
    taken += deliver_from(*next, by, now, std::min(budget - taken, most_batch));
  }
  return taken;
}

bool receiver::find_front(source& one) noexcept {
  one.has_front = one.lane.next(one.front);
  const auto peer = static_cast<am_rank>(&one - sources_.data());
  if (one.has_front) one.longer = latency_of_(peer, one.front.of.bytes, one.front.leave);
  return one.has_front;
}

// False: there is none. A source without one in the last poll has a lone one now.
bool receiver::find_fronts() noexcept {
  bool any = false;
  for (source& one : sources_) {
    one.absent = false;
    if (!one.has_front) {
      (void)find_front(one);
      one.lone = one.was_empty;
      one.was_empty = !one.has_front;
      one.seen = false;
    }
    any |= one.has_front;
  }
  return any;
}

// A flight is known where this rank has polled ever since the message left, and neither a message
// before it, nor a connection that has to be made, nor bytes to be copied delay it.
void receiver::learn_flights(const route& by, ticks& now) noexcept {
  for (source& one : sources_) {
    if (one.seen || !is_front_of(one, by)) continue;
    const auto peer = static_cast<am_rank>(&one - sources_.data());
    one.seen = by.inner.has_come(peer, one.front.of.what);
    if (!one.seen) continue;
    now = clock_.now();  // looking for it may have been a system call
    const bool undelayed = one.lone && (one.contacts & bit_of(one.front.of.what)) != 0 &&
                           one.front.of.bytes == 0 && by.polls_since < one.front.leave;
    if (!undelayed || now <= one.front.leave) continue;
    one.flight.add(now - one.front.leave);
    if (is_whole_) say_if_too_short(one.flight);
  }
}

void receiver::say_if_too_short(const recent_median& flight) noexcept {
  if (said_ || !flight.is_settled() || flight.value() <= latency_) return;
  said_ = true;
  base::log(base::log_level::warn,
            "AM_DIAL: L={:.0f}ns cannot be had: a message is under way for {:.0f} ns by itself",
            clock_.ns(latency_), clock_.ns(flight.value()));
}

receiver::source* receiver::find_earliest(const route& by) noexcept {
  source* earliest = nullptr;
  for (source& one : sources_) {
    if (!is_front_of(one, by) || one.absent) continue;
    if (earliest == nullptr || arrival_of(one, one.front) < arrival_of(*earliest, earliest->front))
      earliest = &one;
  }
  return earliest;
}

// `pause`: what this poll may wait, which is less afterwards.
bool receiver::wait_until_due(const source& one, ticks& now, ticks& pause) noexcept {
  const ticks due = due_of(card_, one, one.front);
  if (due <= now) return true;
  if (due - now > pause) return false;
  pause -= due - now;
  now = busy_since_ = clock_.spin_until(due);
  return true;
}

// How many of its messages are due, from the front on, of the front's class and by its route. A
// function is asked about a message when it is at the front.
unsigned receiver::count_due(const source& one, ticks now, unsigned most) const noexcept {
  if (latency_of_.exists() || gap_of_.exists()) return 1;
  receiver_card card = card_;
  lane_reader::entry next = one.front;
  unsigned count = 0;
  for (;;) {
    const ticks due = due_of(card, one, next);
    if (count != 0 && due > now) return count;
    card.receive(due, own_gap_.value());
    if (++count == most || !one.lane.has(count, next.leave, next)) return count;
    if (next.of.what != one.front.of.what || next.of.transport != one.front.of.transport)
      return count;
  }
}

unsigned receiver::deliver_from(source& one, const route& by, ticks now, unsigned most) noexcept {
  const auto peer = static_cast<am_rank>(&one - sources_.data());
  const unsigned due_now = count_due(one, now, most);
  own_gap_.begin();
  const unsigned taken = by.inner.deliver_from(peer, one.front.of.what, due_now);
  own_gap_.end(taken);
  one.absent = taken == 0;
  if (taken != 0) one.contacts |= bit_of(one.front.of.what);
  for (unsigned i = 0; i < taken && one.has_front; ++i) {
    const ticks due = due_of(card_, one, one.front);
    // One that comes just in time is an effect of the sender's gap.
    gap_use_.count(due > arrival_of(one, one.front) || due == card_.free_at());
    card_.receive(due, own_gap_.value() + gap_of_(peer, one.front.of.bytes, due));
    one.lane.pop(one.front.leave);
    (void)find_front(one);
    one.lone = one.seen = false;
  }
  return taken;
}

std::chrono::nanoseconds receiver::time_left(const route& by) const noexcept {
  auto least = std::chrono::nanoseconds::max();
  const ticks now = clock_.now();
  for (const source& one : sources_) {
    const auto peer = static_cast<am_rank>(&one - sources_.data());
    if (!is_front_of(one, by) || !by.inner.has_come(peer, one.front.of.what)) continue;
    const ticks due = due_of(card_, one, one.front);
    least = std::min(least, clock_.until(due, now));
  }
  return least;
}

}  // namespace am::detail::dial
