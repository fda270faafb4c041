// Decides when the reader of a ring takes its messages. A reader right behind the writer fetches
// every cache line singly; a reader that waits until several are full gets them in a burst, several
// times faster. So a lone message is taken at once, and in a flood the reader checks only the slot
// where a whole burst ends, until it is full or the writer has paused. docs/performance.md has the
// measurements behind the numbers.
#pragma once

#include <libam/wire/payload_sizes.hpp>
#include <transports/shm/ring.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::shm {

// Time is counted in polls.
class burst_detector {
 public:
  // `paused`: the writer's count of its pauses.
  burst_detector(const ring_reader& ring, const std::atomic<std::uint32_t>& paused) noexcept
      : next_slot_(ring.ahead(0)), burst_end_(next_slot_), paused_(paused) {}

  // Outside a flood: is the next slot full? One load; in a flood that is of a private slot that is
  // never full, so that polls take no cache lines from the writer.
  [[nodiscard]] bool lone_message_ready() const noexcept { return next_slot_.full(); }

  // In a flood: has a whole burst come?
  [[nodiscard]] bool burst_ready() const noexcept { return flooded() && burst_end_.full(); }

  // Waits for the burst or a pause of the writer, for some microseconds at most.
  [[nodiscard]] bool wait_for_burst() noexcept {
    for (unsigned check = 0; check < checks_per_wait; ++check) {
      if (burst_end_.full()) return true;
      // SYNC(paused): with the release in writer_pause::announce. What was written before the pause
      // is visible.
      const std::uint32_t pauses = paused_.load(std::memory_order_acquire);
      if (pauses != pauses_seen_) {
        pauses_seen_ = pauses;
        writer_paused_ = true;
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool flooded() const noexcept { return density_ >= flood_density; }

  // `messages` have been taken in poll number `now`: chooses the slots to check next.
  void record_take(unsigned messages, unsigned now, const ring_reader& ring) noexcept {
    const unsigned idle_polls = now - last_take_;
    last_take_ = now;
    const unsigned decay = std::min(density_, idle_polls / 2);
    density_ = std::min(density_ - decay + messages, max_density);
    // The writer has paused: its next message is taken as a lone one.
    if (std::exchange(writer_paused_, false)) density_ = 0;
    if (flooded() && messages >= burst_length_)
      burst_length_ = std::min(2 * burst_length_, max_burst_length);
    next_slot_ = flooded() ? never_full_slot() : ring.ahead(0);
    burst_end_ = ring.ahead(std::min(burst_length_, ring.capacity() / 2) - 1);
  }

  // A payload of `bytes` bytes has come. A writer whose room is full waits for its reader, so a
  // burst of payloads takes half of the smallest room: record_take() doubles what is set here.
  void on_payload(std::uint32_t bytes) noexcept {
    if (burst_length_ * bytes > quarter_room) burst_length_ = std::max(quarter_room / bytes, 1U);
  }

  // In a flood, no burst has come for long.
  [[nodiscard]] bool flood_timed_out(unsigned now) const noexcept {
    return flooded() && now - last_take_ >= flood_timeout_polls;
  }

  // The burst has not come: the writer has fewer messages in flight, or has paused.
  void abandon_burst(const ring_reader& ring) noexcept {
    burst_length_ = std::max(burst_length_ / 2, min_burst_length);
    end_flood(ring);
  }

  void end_flood(const ring_reader& ring) noexcept {
    density_ = 0;
    writer_paused_ = false;
    next_slot_ = ring.ahead(0);
  }

 private:
  static constexpr unsigned checks_per_wait = 4000;
  static constexpr unsigned flood_timeout_polls = 200;
  static constexpr unsigned flood_density = 4;
  static constexpr unsigned max_density = 8;
  static constexpr std::uint32_t min_burst_length = 4;
  static constexpr std::uint32_t max_burst_length = 64;
  static constexpr std::uint32_t quarter_room = wire::least_room_bytes / 4;

  static ring_reader::far_slot never_full_slot() noexcept {
    static constinit slot empty{};
    return {&empty, first_generation};
  }

  ring_reader::far_slot next_slot_;
  ring_reader::far_slot burst_end_;
  const std::atomic<std::uint32_t>& paused_;
  std::uint32_t pauses_seen_ = 0;
  bool writer_paused_ = false;
  unsigned density_ = 0;  // recent messages, less half the polls
  unsigned last_take_ = 0;
  std::uint32_t burst_length_ = max_burst_length;
};

// The writer's side: announces to the reader that nothing more comes for now.
class writer_pause {
 public:
  explicit writer_pause(std::atomic<std::uint32_t>& paused) noexcept : paused_(paused) {}

  void announce(const ring_writer& ring) noexcept {
    if (ring.position() == announced_at_) return;
    announced_at_ = ring.position();
    // SYNC(paused): with the acquire in burst_detector::wait_for_burst.
    paused_.store(++pauses_, std::memory_order_release);
  }

 private:
  std::atomic<std::uint32_t>& paused_;
  const slot* announced_at_ = nullptr;
  std::uint32_t pauses_ = 0;
};

}  // namespace am::detail::shm
