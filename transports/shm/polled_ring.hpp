// A ring that this rank reads, as the poller sees it: the requests of a peer (request_receiver) or
// its replies (request_sender). An active ring is checked in every poll; one in which nothing has
// come for long becomes quiet and costs nothing until its writer signals this rank.
#pragma once

#include <transports/shm/burst_detector.hpp>
#include <transports/shm/layout.hpp>

#include <utility>

namespace am::detail::shm {

class polled_ring {
 public:
  // `writer_block`: the control block of the writer.
  polled_ring(am_rank peer, ring_reader ring, std::atomic<std::uint32_t>& quiet_mark,
              const std::atomic<std::uint32_t>& paused, const control_block& writer_block) noexcept
      : peer_(peer),
        ring_(ring),
        bursts_(ring, paused),
        quiet_mark_(quiet_mark),
        writer_block_(writer_block) {}
  polled_ring(const polled_ring&) = delete;
  polled_ring& operator=(const polled_ring&) = delete;

  // Is there something to deliver now? Each is one load; the first is all that an idle poll does.
  [[nodiscard]] bool lone_message_ready() const noexcept { return bursts_.lone_message_ready(); }
  [[nodiscard]] bool burst_ready() const noexcept { return bursts_.burst_ready(); }

  // In a flood a ring is ready only when a burst has come; wait_for_messages waits for it a little
  // and is true if there is any message then.
  [[nodiscard]] bool flooded() const noexcept { return bursts_.flooded(); }
  [[nodiscard]] bool wait_for_messages() noexcept {
    if (!bursts_.wait_for_burst()) bursts_.abandon_burst(ring_);
    const bool something = ring_.full();
    if (!something) bursts_.end_flood(ring_);
    return something;
  }
  void end_stale_flood(unsigned now) noexcept {
    if (bursts_.flood_timed_out(now)) bursts_.abandon_burst(ring_);
  }

  void end_flood() noexcept { bursts_.end_flood(ring_); }
  // Goes on in the ring's new half where that is next, which else a delivery does.
  void take_growth() noexcept {
    if (!ring_.is_at_growth()) return;
    follow_growth(ring_);
    bursts_.end_flood(ring_);
  }

  // Delivers at most `budget` messages in poll number `now`.
  unsigned deliver(unsigned budget, unsigned now) noexcept {
    const unsigned taken = take(budget);
    bursts_.record_take(taken, now, ring_);
    idle_ = false;
    return taken;
  }

  // This rank has written to the peer, so it must announce its next pause. True: before, it had
  // none to announce.
  [[nodiscard]] bool mark_unpaused() noexcept { return !std::exchange(unpaused_, true); }
  void announce_pause() noexcept {
    unpaused_ = false;
    write_pause();
  }
  // Publishes to the peer the counters that it has not seen yet.
  virtual void publish_counters() noexcept = 0;
  // Books the counters that the peer has published; true if any had changed.
  virtual bool read_counters() noexcept = 0;

  // ---- going quiet (poller.cpp has the order of steps; docs/flow-control.md says why it loses
  // nothing) ----

  // True if nothing has come since the last call.
  [[nodiscard]] bool idle_since_last_check() noexcept { return std::exchange(idle_, true); }
  // An activated ring is checked at the slot of its next message.
  void mark_quiet() noexcept {
    bursts_.abandon_burst(ring_);
    quiet_mark_.store(1, std::memory_order_relaxed);
  }
  // Only a writer that passes barriers is sure to see the mark.
  // SYNC(barriers): with the release in the constructor of poller. The writer's process is
  // registered.
  [[nodiscard]] bool may_go_quiet() const noexcept {
    return writer_block_.membarrier_registered.load(std::memory_order_acquire) != 0;
  }
  void unmark_quiet() noexcept { quiet_mark_.store(0, std::memory_order_relaxed); }
  [[nodiscard]] bool has_message() const noexcept { return ring_.full(); }
  [[nodiscard]] am_rank peer() const noexcept { return peer_; }

 protected:
  ~polled_ring() = default;
  void on_payload(std::uint32_t bytes) noexcept { bursts_.on_payload(bytes); }
  virtual void write_pause() noexcept = 0;
  virtual unsigned take(unsigned budget) noexcept = 0;
  // `ring`: the reader's position, at a slot of kind `grow`.
  virtual void follow_growth(ring_reader& ring) noexcept = 0;

  const am_rank peer_;
  ring_reader ring_;

 private:
  burst_detector bursts_;
  std::atomic<std::uint32_t>& quiet_mark_;
  const control_block& writer_block_;
  bool idle_ = true;
  bool unpaused_ = false;
};

}  // namespace am::detail::shm
