// Polls all rings that this rank reads. Rings that have been empty for long go quiet and cost
// nothing until their writers signal this rank.
#pragma once

#include <transports/shm/layout.hpp>
#include <transports/shm/polled_ring.hpp>

#include <chrono>
#include <vector>

namespace am::detail::shm {

class poller {
 public:
  poller(control_block& own_block, am_rank ranks, base::wakeup wakeup);

  void add(polled_ring& ring) { active_.push_back(&ring); }

  // Delivers what has come, without waiting.
  void poll_once() noexcept;
  // Polls once after a request, unless the last poll has just found nothing. Returns how many more
  // requests may go without a poll: none while polls find messages.
  unsigned poll_after_send() noexcept;

  // This rank writes to the peer of that ring: the next pause is announced to it.
  void note_write(polled_ring& ring) noexcept {
    if (ring.mark_unpaused()) unpaused_.push_back(&ring);
  }

  // For a wrapper that delivers by time (seam::transport): all of a poll but delivery, and delivery
  // from one ring alone, without waiting for a burst.
  void advance() noexcept;
  unsigned deliver_from(polled_ring& ring, unsigned most) noexcept;

  // By which this rank wakes others and is woken.
  [[nodiscard]] const base::wakeup& wakeup() const noexcept { return wakeup_; }

  // Before this rank sleeps; see seam::transport::arm.
  std::chrono::nanoseconds arm() noexcept;
  void disarm() noexcept { own_block_.asleep.store(0, std::memory_order_relaxed); }

  // Delivers at most `budget` messages, and waits for a burst in a flood. Before it returns 0 it
  // has published all counters.
  unsigned poll(unsigned budget) noexcept {
    if (find_lone_message()) return deliver_ready(budget);
    if (unpaused_.empty() && pending_ == 0 && (polls_ & (quiet_check_interval - 1)) != 0) [[likely]]
      return 0;
    return poll_further(budget);
  }

 protected:
  ~poller() = default;
  // Peers have made channels to this rank: adds their rings.
  virtual void accept_new_senders() noexcept = 0;
  // The launcher has set an exit flag.
  virtual void check_exit_reports() noexcept = 0;

  // Delivers what is in one ring, without waiting for a burst.
  unsigned drain(polled_ring& ring, unsigned budget) noexcept {
    return ring.deliver(budget, polls_);
  }
  // Not within a delivery.
  void remove(const polled_ring& ring) noexcept;

 private:
  static constexpr unsigned poll_once_budget = 64;
  static constexpr unsigned requests_between_polls = 7;    // while polls find nothing
  static constexpr unsigned empty_polls_before_runs = 32;  // in a row; then requests go unpolled
  static constexpr unsigned quiet_check_interval = 1024;   // in polls
  static constexpr std::size_t min_active_rings = 4;       // cheaper to check than to activate

  // Bits of pending_.
  static constexpr unsigned ring_flooded = 1;          // some ring is in a flood
  static constexpr unsigned counters_unpublished = 2;  // since a delivery

  [[nodiscard]] bool find_lone_message() noexcept {
    ++polls_;
    if (own_block_.attention.load(std::memory_order_relaxed) != 0) [[unlikely]]
      handle_signals();
    for (const polled_ring* ring : active_) {
      if (ring->lone_message_ready()) return true;
    }
    return false;
  }

  unsigned poll_further(unsigned budget) noexcept;
  unsigned deliver_ready(unsigned budget) noexcept;
  unsigned wait_for_bursts(unsigned budget) noexcept;
  template <class Ready>
  unsigned deliver_where(Ready&& ready, unsigned budget) noexcept;
  void announce_pauses() noexcept;
  void publish_counters() noexcept;
  void handle_signals() noexcept;
  void let_idle_rings_go_quiet() noexcept;
  void announce_idle() noexcept;
  [[nodiscard]] bool mark_all_quiet() noexcept;
  [[nodiscard]] bool find_anything() noexcept;
  void activate(std::size_t quiet_index);

  control_block& own_block_;
  // Not beside pending_: the compiler would test both with one load, which cannot be forwarded from
  // two stores and waits for them (8 ns a message).
  unsigned polls_ = 0;
  std::vector<polled_ring*> active_;
  std::vector<polled_ring*> quiet_;
  unsigned pending_ = 0;
  unsigned empty_polls_ = 0;
  bool just_polled_ = false;            // and found nothing, and announced a pause
  std::vector<polled_ring*> unpaused_;  // to whose peers this rank has written since its last pause
  std::size_t first_ring_ = 0;          // of the next poll, so that a busy ring starves no other
  const bool can_issue_barriers_;
  const base::wakeup wakeup_;
};

}  // namespace am::detail::shm
