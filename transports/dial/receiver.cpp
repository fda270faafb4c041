#include <transports/dial/receiver.hpp>

#include <libam/base/log.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::dial {

receiver::receiver(const lanes& all, am_rank ranks, const spinner& clock, ticks latency, bool whole,
                   ticks gap)
    : clock_(clock),
      latency_(latency),
      is_whole_(whole),
      longest_pause_(clock.of_ns(5000)),
      card_(gap) {
  sources_.reserve(ranks);
  for (am_rank rank = 0; rank < ranks; ++rank) sources_.push_back({all.from(rank)});
}

unsigned receiver::deliver(route& by, unsigned budget, ticks start) noexcept {
  ticks now = start;
  ticks pause = std::min(now - std::exchange(by.last_poll, now), longest_pause_);
  busy_since_ = now;
  if (!find_fronts()) return 0;
  if (latency_ != 0) learn_flights(by, now, pause);
  unsigned taken = 0;
  while (taken < budget) {
    source* const next = find_earliest(by);
    if (next == nullptr || !wait_until_due(*next, now, pause)) break;
    taken += deliver_from(*next, by, now, std::min(budget - taken, most_batch));
  }
  return taken;
}

// False: there is none. A source without one in the last poll has a lone one now.
bool receiver::find_fronts() noexcept {
  bool any = false;
  for (source& one : sources_) {
    one.absent = false;
    if (!one.has_front) {
      one.has_front = one.lane.next(one.front);
      one.lone = one.was_empty;
      one.was_empty = !one.has_front;
      one.seen = false;
    }
    any |= one.has_front;
  }
  return any;
}

// A flight is known where this rank polls all the time, and neither a message before it nor bytes
// to be copied delay the message.
void receiver::learn_flights(const route& by, ticks& now, ticks pause) noexcept {
  for (source& one : sources_) {
    if (one.seen || !is_front_of(one, by)) continue;
    const auto peer = static_cast<am_rank>(&one - sources_.data());
    one.seen = by.inner.has_come(peer, one.front.of.what);
    if (!one.seen) continue;
    now = clock_.now();  // looking for it may have been a system call
    const bool undelayed = one.lone && one.front.of.is_small && pause < longest_pause_;
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
  const ticks due = card_.due(arrival_of(one, one.front), one.front.of.fragments);
  if (due <= now) return true;
  if (due - now > pause) return false;
  pause -= due - now;
  now = busy_since_ = clock_.spin_until(due);
  return true;
}

// How many of its messages are due, from the front on, of the front's class and by its route.
unsigned receiver::count_due(const source& one, ticks now, unsigned most) const noexcept {
  receiver_card card = card_;
  lane_reader::entry next = one.front;
  unsigned count = 0;
  for (;;) {
    const ticks due = card.due(arrival_of(one, next), next.of.fragments);
    if (count != 0 && due > now) return count;
    card.receive(due);
    if (++count == most || !one.lane.has(count, next.leave, next)) return count;
    if (next.of.what != one.front.of.what || next.of.transport != one.front.of.transport)
      return count;
  }
}

unsigned receiver::deliver_from(source& one, const route& by, ticks now, unsigned most) noexcept {
  const auto peer = static_cast<am_rank>(&one - sources_.data());
  const unsigned taken = by.inner.deliver_from(peer, one.front.of.what, count_due(one, now, most));
  one.absent = taken == 0;
  for (unsigned i = 0; i < taken && one.has_front; ++i) {
    card_.receive(card_.due(arrival_of(one, one.front), one.front.of.fragments));
    one.lane.pop(one.front.leave);
    one.has_front = one.lane.next(one.front);
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
    const ticks due = card_.due(arrival_of(one, one.front), one.front.of.fragments);
    least = std::min(least, clock_.until(due, now));
  }
  return least;
}

}  // namespace am::detail::dial
