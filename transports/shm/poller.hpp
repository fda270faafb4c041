// All rings that this rank reads, looked at in turn. Rings that have been empty for long go quiet
// and cost nothing until their writers ring the doorstep.
#pragma once

#include <transports/shm/layout.hpp>
#include <transports/shm/watch.hpp>

#include <chrono>
#include <vector>

namespace am::detail::shm {

class poller {
 public:
  poller(doorstep& mine, am_rank ranks, base::bell bell);

  void add(watch& ring) { active_.push_back(&ring); }

  // Looks at what has come, waiting for nothing.
  void look() noexcept;
  // What a request does beside sending: a look, unless a poll has just been one. Says how many more
  // requests may do without: none while looks find something, otherwise some.
  unsigned look_in_turn() noexcept;

  // This rank writes to the other side of that ring, and will tell it when it stops.
  void has_written(watch& ring) noexcept {
    if (ring.is_to_hear_of_pause()) unpaused_.push_back(&ring);
  }

  // What this rank wakes others with, and is woken by.
  [[nodiscard]] const base::bell& bell() const noexcept { return bell_; }

  // Before this rank sleeps; see seam::transport::arm.
  std::chrono::nanoseconds arm() noexcept;
  void disarm() noexcept { mine_.asleep.store(0, std::memory_order_relaxed); }

  // Delivers at most `budget` messages, waiting for a burst where a flood is on. Before it returns
  // 0 it has settled what this rank owes.
  unsigned poll(unsigned budget) noexcept {
    if (something_lone_is_there()) return deliver_due(budget);
    if (unpaused_.empty() && pending_ == 0 && (looks_ & (sorting_interval - 1)) != 0) [[likely]]
      return 0;
    return poll_further(budget);
  }

 protected:
  ~poller() = default;
  // Others have made channels to this rank: add them.
  virtual void welcome_arrivals() noexcept = 0;
  // The launcher has written an obituary.
  virtual void look_for_deaths() noexcept = 0;

  // Delivers what stands in one ring, whatever its pace.
  unsigned drain(watch& ring, unsigned budget) noexcept { return ring.deliver(budget, looks_); }
  // It is never looked at again. Outside every delivery.
  void forget(const watch& ring) noexcept;

 private:
  static constexpr unsigned burst = 64;
  static constexpr unsigned rest = 7;         // requests without a look while looks find nothing
  static constexpr unsigned vain_looks = 32;  // so many have found nothing: look rarely
  static constexpr unsigned sorting_interval = 1024;  // looks between sorting out idle rings
  static constexpr std::size_t few_rings = 4;         // cheaper to look at than to wake

  // What there is to do beside looking: bits of pending_.
  static constexpr unsigned floods = 1;         // some ring is in a flood
  static constexpr unsigned debts_to_tell = 2;  // something was delivered since this rank settled

  [[nodiscard]] bool something_lone_is_there() noexcept {
    ++looks_;
    if (mine_.attention.load(std::memory_order_relaxed) != 0) [[unlikely]]
      answer_the_door();
    for (const watch* ring : active_) {
      if (ring->due()) return true;
    }
    return false;
  }

  unsigned poll_further(unsigned budget) noexcept;
  unsigned deliver_due(unsigned budget) noexcept;
  unsigned wait_for_bursts(unsigned budget) noexcept;
  template <class Due>
  unsigned deliver_where(Due&& due, unsigned budget) noexcept;
  void pause() noexcept;
  void settle() noexcept;
  void answer_the_door() noexcept;
  void let_idle_rings_go_quiet() noexcept;
  void tell_everyone() noexcept;
  [[nodiscard]] bool mark_all_quiet() noexcept;
  [[nodiscard]] bool something_anywhere() noexcept;
  void wake(std::size_t quiet_index);

  doorstep& mine_;
  // Apart from pending_: side by side the compiler would test both with one load, which cannot
  // forward from two stores and waits for them (8 ns a message).
  unsigned looks_ = 0;
  std::vector<watch*> active_;
  std::vector<watch*> quiet_;
  unsigned pending_ = 0;
  unsigned looked_in_vain_ = 0;
  bool just_polled_ = false;      // and found nothing, and paused
  std::vector<watch*> unpaused_;  // written to since this rank last paused
  std::size_t turn_ =
      0;  // the active ring that comes first, so that one that never ends starves none
  const bool can_issue_barriers_;
  const base::bell bell_;
};

}  // namespace am::detail::shm
