#include <libam/base/membarrier.hpp>
#include <transports/shm/door.hpp>
#include <transports/shm/poller.hpp>

#include <utility>

namespace am::detail::shm {

poller::poller(doorstep& mine, am_rank ranks, base::bell bell)
    : mine_(mine), can_issue_barriers_(base::register_barrier()), bell_(std::move(bell)) {
  mine.bell = bell_.own_name();
  // SYNC(barriers): with the acquire in watch::may_go_quiet. This process is registered.
  mine.passes_barriers.store(can_issue_barriers_, std::memory_order_release);
  // Two rings for each peer: nothing allocates later.
  active_.reserve(2 * static_cast<std::size_t>(ranks));
  quiet_.reserve(2 * static_cast<std::size_t>(ranks));
  unpaused_.reserve(2 * static_cast<std::size_t>(ranks));
}

void poller::look() noexcept {
  const bool flooded = (pending_ & floods) != 0;
  const bool found = (something_lone_is_there() || flooded) && deliver_due(burst) != 0;
  looked_in_vain_ = found ? 0 : looked_in_vain_ + 1;
}

unsigned poller::look_in_turn() noexcept {
  const bool flooded = (pending_ & floods) != 0;
  if (!std::exchange(just_polled_, false)) look();
  return flooded || looked_in_vain_ >= vain_looks ? rest : 0;
}

// No lone message is there. Bursts first; then what others should know while this rank idles.
unsigned poller::poll_further(unsigned budget) noexcept {
  unsigned taken = 0;
  if ((pending_ & floods) != 0) taken = deliver_due(budget);
  if (taken == 0) {
    // This rank writes nothing more unless others send, so nobody need wait for more from it.
    pause();
    if ((pending_ & floods) != 0) taken = wait_for_bursts(budget);
    if (taken == 0 && (pending_ & debts_to_tell) != 0) settle();
  }
  if ((looks_ & (sorting_interval - 1)) == 0) let_idle_rings_go_quiet();
  return taken;
}

unsigned poller::deliver_due(unsigned budget) noexcept {
  return deliver_where([](watch& ring) { return ring.due() || ring.burst_due(); }, budget);
}

unsigned poller::wait_for_bursts(unsigned budget) noexcept {
  return deliver_where([](watch& ring) { return ring.flooded() && ring.due_with_patience(); },
                       budget);
}

// Every active ring once, from the one whose turn it is; the budget's end passes the turn on. Notes
// what follows from a delivery: this rank owes credits, and its handlers may have replied.
template <class Due>
unsigned poller::deliver_where(Due&& due, unsigned budget) noexcept {
  unsigned taken = 0;
  pending_ &= ~floods;
  const std::size_t rings = active_.size();
  for (std::size_t i = 0; i < rings; ++i) {
    if (turn_ >= rings) turn_ = 0;
    watch& ring = *active_[turn_++];
    ring.reconsider(looks_);
    if (due(ring)) {
      taken += ring.deliver(budget - taken, looks_);
      has_written(ring);
    }
    if (ring.flooded()) pending_ |= floods;
    if (taken == budget) {
      pending_ |= floods;  // rings that were not reached may be in one
      break;
    }
  }
  if (taken != 0) {
    pending_ |= debts_to_tell;
  }
  return taken;
}

void poller::pause() noexcept {
  for (watch* ring : unpaused_) ring->tell_of_pause();
  unpaused_.clear();
  just_polled_ = true;
}

void poller::settle() noexcept {
  for (watch* ring : active_) ring->settle();
  pending_ &= ~debts_to_tell;
}

// SYNC(attention): with the releases where others find a quiet mark or announce themselves.
void poller::answer_the_door() noexcept {
  const std::uint64_t bits = mine_.attention.exchange(0, std::memory_order_acquire);
  if ((bits & arrivals_bit) != 0) welcome_arrivals();
  if ((bits & deaths_bit) != 0) look_for_deaths();
  for (std::size_t i = quiet_.size(); i-- != 0;) {
    if ((bits & attention_bit(quiet_[i]->peer())) != 0) wake(i);
  }
}

void poller::wake(std::size_t quiet_index) {
  watch* ring = quiet_[quiet_index];
  ring->unmark_quiet();
  active_.push_back(ring);
  quiet_[quiet_index] = quiet_.back();
  quiet_.pop_back();
}

// Mark, barrier, look once more. After the barrier every writer sees the mark with its next message
// or had published before it, and then the second look finds what was published. The barrier is
// dear, so all idle rings pass it together.
void poller::let_idle_rings_go_quiet() noexcept {
  if (!can_issue_barriers_ || active_.size() <= few_rings) return;
  const std::size_t first_new = quiet_.size();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    watch* ring = active_[i];
    const bool idle = ring->idle_since_last_time();
    if (!idle || !ring->may_go_quiet() || kept + (active_.size() - i) <= few_rings) {
      active_[kept++] = ring;
      continue;
    }
    ring->settle();
    ring->mark_quiet();
    quiet_.push_back(ring);
  }
  active_.resize(kept);
  if (quiet_.size() == first_new) return;
  const bool passed = base::barrier_everyone();
  for (std::size_t i = quiet_.size(); i-- != first_new;) {
    if (!passed || quiet_[i]->something_there()) wake(i);
  }
}

// ---- sleeping -----------------------------------------------------------------------------------

// A sleeper's rings are all quiet, so whoever writes to one finds its mark, knocks, and rings the
// bell of a rank that sleeps. Mark, say that this rank sleeps, barrier, look once more: what is not
// found now will ring.
std::chrono::nanoseconds poller::arm() noexcept {
  using namespace std::chrono_literals;
  tell_everyone();
  bell_.silence();
  const bool all_marked = mark_all_quiet();
  falls_asleep(mine_);
  const bool passed = can_issue_barriers_ && base::barrier_everyone();
  if (something_anywhere()) {
    disarm();
    return 0ns;
  }
  // A writer that may have missed its mark does not ring: this rank has to look for itself.
  return all_marked && passed && bell_.valid() ? std::chrono::nanoseconds::max() : 1ms;
}

// Nobody is to wait for a rank that sleeps. Quiet rings have been settled before they became so.
void poller::tell_everyone() noexcept {
  pause();
  settle();
}

// False: some ring has a writer that may not see the mark.
bool poller::mark_all_quiet() noexcept {
  if (!can_issue_barriers_) return false;
  std::size_t kept = 0;
  for (watch* ring : active_) {
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

bool poller::something_anywhere() noexcept {
  bool found = mine_.attention.load(std::memory_order_relaxed) != 0;
  for (watch* ring : active_) {
    found |= ring->collect();
    found |= ring->something_there();
  }
  for (std::size_t i = quiet_.size(); i-- != 0;) {
    found |= quiet_[i]->collect();
    if (!quiet_[i]->something_there()) continue;
    wake(i);
    found = true;
  }
  return found;
}

}  // namespace am::detail::shm
