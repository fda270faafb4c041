#include <transports/shm/poller.hpp>

#include <libam/base/membarrier.hpp>
#include <transports/shm/signal_peer.hpp>

#include <utility>

namespace am::detail::shm {

poller::poller(control_block& own_block, am_rank ranks, base::wakeup wakeup)
    : own_block_(own_block),
      can_issue_barriers_(base::register_membarrier()),
      wakeup_(std::move(wakeup)) {
  own_block.wakeup = wakeup_.own_name();
  // SYNC(barriers): with the acquire in polled_ring::may_go_quiet. This process is registered.
  own_block.membarrier_registered.store(can_issue_barriers_, std::memory_order_release);
  // Two rings for each peer: later nothing is allocated.
  active_.reserve(2 * static_cast<std::size_t>(ranks));
  quiet_.reserve(2 * static_cast<std::size_t>(ranks));
  unpaused_.reserve(2 * static_cast<std::size_t>(ranks));
}

void poller::poll_once() noexcept {
  const bool flooded = (pending_ & ring_flooded) != 0;
  const bool found = (find_lone_message() || flooded) && deliver_ready(poll_once_budget) != 0;
  empty_polls_ = found ? 0 : empty_polls_ + 1;
}

unsigned poller::poll_after_send() noexcept {
  const bool flooded = (pending_ & ring_flooded) != 0;
  if (!std::exchange(just_polled_, false)) poll_once();
  return flooded || empty_polls_ >= empty_polls_before_runs ? requests_between_polls : 0;
}

// There is no lone message: delivers bursts, or else announces pauses and publishes counters.
unsigned poller::poll_further(unsigned budget) noexcept {
  unsigned taken = 0;
  if ((pending_ & ring_flooded) != 0) taken = deliver_ready(budget);
  if (taken == 0) {
    // Until others send this rank writes nothing more, so its readers need not wait for a burst.
    announce_pauses();
    if ((pending_ & ring_flooded) != 0) taken = wait_for_bursts(budget);
    if (taken == 0 && (pending_ & counters_unpublished) != 0) publish_counters();
  }
  if ((polls_ & (quiet_check_interval - 1)) == 0) let_idle_rings_go_quiet();
  return taken;
}

unsigned poller::deliver_ready(unsigned budget) noexcept {
  return deliver_where(
      [](polled_ring& ring) { return ring.lone_message_ready() || ring.burst_ready(); }, budget);
}

unsigned poller::wait_for_bursts(unsigned budget) noexcept {
  return deliver_where([](polled_ring& ring) { return ring.flooded() && ring.wait_for_messages(); },
                       budget);
}

// Checks every active ring once, from first_ring_ on; where the budget ends, the next call goes on.
// After a delivery there are counters to publish, and the handlers may have replied.
template <class Ready>
unsigned poller::deliver_where(Ready&& ready, unsigned budget) noexcept {
  unsigned taken = 0;
  pending_ &= ~ring_flooded;
  const std::size_t rings = active_.size();
  for (std::size_t i = 0; i < rings; ++i) {
    if (first_ring_ >= rings) first_ring_ = 0;
    polled_ring& ring = *active_[first_ring_++];
    ring.end_stale_flood(polls_);
    if (ready(ring)) {
      taken += ring.deliver(budget - taken, polls_);
      note_write(ring);
    }
    if (ring.flooded()) pending_ |= ring_flooded;
    if (taken == budget) {
      pending_ |= ring_flooded;  // the remaining rings may be in one
      break;
    }
  }
  if (taken != 0) {
    pending_ |= counters_unpublished;
  }
  return taken;
}

// No reader waits for bursts, so no pause is announced.
void poller::advance() noexcept {
  ++polls_;
  if (own_block_.attention.load(std::memory_order_relaxed) != 0) [[unlikely]]
    handle_signals();
  for (polled_ring* ring : active_) ring->take_growth();
  if ((pending_ & counters_unpublished) != 0) publish_counters();
  if ((polls_ & (quiet_check_interval - 1)) == 0) let_idle_rings_go_quiet();
}

// Its reader never waits for a burst, so the ring is not in a flood either.
unsigned poller::deliver_from(polled_ring& ring, unsigned most) noexcept {
  const unsigned taken = drain(ring, most);
  ring.end_flood();
  if (taken == 0) return 0;
  note_write(ring);
  pending_ |= counters_unpublished;
  return taken;
}

void poller::announce_pauses() noexcept {
  for (polled_ring* ring : unpaused_) ring->announce_pause();
  unpaused_.clear();
  just_polled_ = true;
}

void poller::publish_counters() noexcept {
  for (polled_ring* ring : active_) ring->publish_counters();
  pending_ &= ~counters_unpublished;
}

// SYNC(attention): with the releases in signal_peer and in base::shared_word::set.
void poller::handle_signals() noexcept {
  const std::uint64_t bits = own_block_.attention.exchange(0, std::memory_order_acquire);
  if ((bits & new_senders_bit) != 0) accept_new_senders();
  if ((bits & deaths_bit) != 0) check_exit_reports();
  for (std::size_t i = quiet_.size(); i-- != 0;) {
    if ((bits & attention_bit(quiet_[i]->peer())) != 0) activate(i);
  }
}

void poller::activate(std::size_t quiet_index) {
  polled_ring* ring = quiet_[quiet_index];
  ring->unmark_quiet();
  active_.push_back(ring);
  pending_ |= counters_unpublished;  // it may have been delivered from while it was quiet
  quiet_[quiet_index] = quiet_.back();
  quiet_.pop_back();
}

// Mark, barrier, check again. Every writer either sees the mark with its next message, or had
// published before the barrier, and then the second check finds the message. The barrier is
// expensive, so one serves all idle rings.
void poller::let_idle_rings_go_quiet() noexcept {
  if (!can_issue_barriers_ || active_.size() <= min_active_rings) return;
  const std::size_t first_new = quiet_.size();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    polled_ring* ring = active_[i];
    const bool idle = ring->idle_since_last_check();
    if (!idle || !ring->may_go_quiet() || kept + (active_.size() - i) <= min_active_rings) {
      active_[kept++] = ring;
      continue;
    }
    ring->publish_counters();
    ring->mark_quiet();
    quiet_.push_back(ring);
  }
  active_.resize(kept);
  if (quiet_.size() == first_new) return;
  const bool passed = base::issue_membarrier();
  for (std::size_t i = quiet_.size(); i-- != first_new;) {
    if (!passed || quiet_[i]->has_message()) activate(i);
  }
}

// ---- sleeping -----------------------------------------------------------------------------------

// All rings of a sleeping rank are quiet, so a writer finds the mark, signals the rank and wakes
// it. Mark, set `asleep`, barrier, check again: what the second check does not find wakes this
// rank.
std::chrono::nanoseconds poller::arm() noexcept {
  using namespace std::chrono_literals;
  announce_idle();
  wakeup_.clear();
  const bool all_marked = mark_all_quiet();
  mark_asleep(own_block_);
  const bool passed = can_issue_barriers_ && base::issue_membarrier();
  if (find_anything()) {
    disarm();
    return 0ns;
  }
  // A writer that may have missed the mark does not wake this rank, which has to poll by itself.
  return all_marked && passed && wakeup_.valid() ? std::chrono::nanoseconds::max() : 1ms;
}

// No peer must wait for a rank that sleeps. The counters of quiet rings were published before.
void poller::announce_idle() noexcept {
  announce_pauses();
  publish_counters();
}

// False: some ring has a writer that may not see the mark.
bool poller::mark_all_quiet() noexcept {
  if (!can_issue_barriers_) return false;
  std::size_t kept = 0;
  for (polled_ring* ring : active_) {
    if (!ring->may_go_quiet()) {
      active_[kept++] = ring;
      continue;
    }
    ring->mark_quiet();
    quiet_.push_back(ring);
  }
  active_.resize(kept);
  return kept == 0;
}

bool poller::find_anything() noexcept {
  bool found = own_block_.attention.load(std::memory_order_relaxed) != 0;
  for (polled_ring* ring : active_) {
    found |= ring->read_counters();
    found |= ring->has_message();
  }
  for (std::size_t i = quiet_.size(); i-- != 0;) {
    found |= quiet_[i]->read_counters();
    if (!quiet_[i]->has_message()) continue;
    activate(i);
    found = true;
  }
  return found;
}

}  // namespace am::detail::shm
