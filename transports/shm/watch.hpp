// A ring that this rank reads, as the poller sees it: looked at in turn while it is active, quiet
// when nothing has come for long. A quiet ring costs nothing until its writer rings the doorstep.
#pragma once

#include <transports/shm/pace.hpp>

#include <utility>

namespace am::detail::shm {

class watch {
 public:
  watch(am_rank peer, ring_reader ring, std::atomic<std::uint32_t>& quiet_mark,
        const std::atomic<std::uint32_t>& paused) noexcept
      : peer_(peer), ring_(ring), pace_(ring, paused), quiet_mark_(quiet_mark) {}
  watch(const watch&) = delete;
  watch& operator=(const watch&) = delete;

  // Is there something to deliver now? The first is one load and all that a look asks.
  [[nodiscard]] bool due() const noexcept { return pace_.lone_message_is_there(); }
  [[nodiscard]] bool burst_due() const noexcept { return pace_.burst_is_there(); }

  // In a flood a ring is not due before a burst is there; this waits for it a little and then has
  // what is there.
  [[nodiscard]] bool flooded() const noexcept { return pace_.flooded(); }
  [[nodiscard]] bool due_with_patience() noexcept {
    if (!pace_.wait_for_burst()) pace_.give_up(ring_);
    return ring_.full();
  }
  // If it was looked at in vain for long: back to the next slot.
  void reconsider(unsigned now) noexcept {
    if (pace_.looked_in_vain(now)) pace_.give_up(ring_);
  }

  // Delivers at most `budget` messages at look number `now`.
  unsigned deliver(unsigned budget, unsigned now) noexcept {
    const unsigned taken = take(budget);
    pace_.took(taken, now, ring_);
    idle_ = false;
    return taken;
  }

  // Tells the other side that this rank stops writing to it for now.
  virtual void pause() noexcept = 0;
  // Tells the other side what this rank owes it.
  virtual void settle() noexcept = 0;

  // ---- going quiet (shm.cpp has the order of steps and why it loses nothing) ----

  // True if nothing has come since this was last asked.
  [[nodiscard]] bool idle_since_last_time() noexcept { return std::exchange(idle_, true); }
  void mark_quiet() noexcept { quiet_mark_.store(1, std::memory_order_relaxed); }
  void unmark_quiet() noexcept { quiet_mark_.store(0, std::memory_order_relaxed); }
  [[nodiscard]] bool something_there() const noexcept { return ring_.full(); }
  [[nodiscard]] am_rank peer() const noexcept { return peer_; }

 protected:
  ~watch() = default;
  virtual unsigned take(unsigned budget) noexcept = 0;

  const am_rank peer_;
  ring_reader ring_;

 private:
  pace pace_;
  std::atomic<std::uint32_t>& quiet_mark_;
  bool idle_ = true;
};

}  // namespace am::detail::shm
