// A ring that this rank reads, as the poller sees it: looked at in turn while it is active, quiet
// when nothing has come for long. A quiet ring costs nothing until its writer rings the doorstep.
#pragma once

#include <transports/shm/layout.hpp>
#include <transports/shm/pace.hpp>

#include <utility>

namespace am::detail::shm {

class watch {
 public:
  // `theirs` is the doorstep of the writer.
  watch(am_rank peer, ring_reader ring, std::atomic<std::uint32_t>& quiet_mark,
        const std::atomic<std::uint32_t>& paused, const doorstep& theirs) noexcept
      : peer_(peer), ring_(ring), pace_(ring, paused), quiet_mark_(quiet_mark), theirs_(theirs) {}
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
    const bool something = ring_.full();
    if (!something) pace_.flood_is_over(ring_);
    return something;
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

  // This rank writes to the other side, which is to hear when it stops for now. True: it was not
  // before.
  [[nodiscard]] bool is_to_hear_of_pause() noexcept { return !std::exchange(to_hear_, true); }
  void tell_of_pause() noexcept {
    to_hear_ = false;
    pause();
  }
  // Tells the other side what this rank owes it.
  virtual void settle() noexcept = 0;
  // Books what the other side has published beside messages; true if that was anything.
  virtual bool collect() noexcept = 0;

  // ---- going quiet (shm.cpp has the order of steps and why it loses nothing) ----

  // True if nothing has come since this was last asked.
  [[nodiscard]] bool idle_since_last_time() noexcept { return std::exchange(idle_, true); }
  // A ring that wakes up again is to be looked at where its next message comes.
  void mark_quiet() noexcept {
    pace_.give_up(ring_);
    quiet_mark_.store(1, std::memory_order_relaxed);
  }
  // Only a writer that passes barriers is sure to find the mark.
  // SYNC(barriers): with the release in poller's maker. The writer's process is registered.
  [[nodiscard]] bool may_go_quiet() const noexcept {
    return theirs_.passes_barriers.load(std::memory_order_acquire) != 0;
  }
  void unmark_quiet() noexcept { quiet_mark_.store(0, std::memory_order_relaxed); }
  [[nodiscard]] bool something_there() const noexcept { return ring_.full(); }
  [[nodiscard]] am_rank peer() const noexcept { return peer_; }

 protected:
  ~watch() = default;
  void payload_came(std::uint32_t bytes) noexcept { pace_.payload_came(bytes); }
  virtual void pause() noexcept = 0;
  virtual unsigned take(unsigned budget) noexcept = 0;

  const am_rank peer_;
  ring_reader ring_;

 private:
  pace pace_;
  std::atomic<std::uint32_t>& quiet_mark_;
  const doorstep& theirs_;
  bool idle_ = true;
  bool to_hear_ = false;
};

}  // namespace am::detail::shm
