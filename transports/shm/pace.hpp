// When to take what has come. A reader that follows right behind the writer pulls every line across
// singly; one that lets lines fill first gets them in bursts, several times faster. So a lone
// message is taken at once, and in a flood the reader looks only at the slot where a whole burst
// would end, until that is full or the writer says that it has paused. docs/performance.md has the
// measurements behind the numbers.
#pragma once

#include <libam/wire/payload_sizes.hpp>
#include <transports/shm/ring.hpp>

#include <algorithm>
#include <utility>

namespace am::detail::shm {

// Decides which slot to look at; the reader's ring says where it stands. Time is counted in looks.
class pace {
 public:
  // `paused` is where the writer counts its pauses.
  pace(const ring_reader& ring, const std::atomic<std::uint32_t>& paused) noexcept
      : next_(ring.ahead(0)), burst_(next_), paused_(paused) {}

  // Outside a flood: is the next message there? One load; in a flood it is of a private line and
  // says no, so that looking does not take lines from the writer.
  [[nodiscard]] bool lone_message_is_there() const noexcept { return next_.full(); }

  // In a flood: is a whole burst there?
  [[nodiscard]] bool burst_is_there() const noexcept { return flooded() && burst_.full(); }

  // Waits for the burst or a pause of the writer, but no longer than some microseconds.
  [[nodiscard]] bool wait_for_burst() noexcept {
    for (unsigned look = 0; look < patience; ++look) {
      if (burst_.full()) return true;
      // SYNC(paused): with the release in writer_pause. What was written before the pause is there.
      const std::uint32_t pauses = paused_.load(std::memory_order_acquire);
      if (pauses != pauses_seen_) {
        pauses_seen_ = pauses;
        paused_now_ = true;
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool flooded() const noexcept { return density_ >= flood_density; }

  // `messages` have been taken at look number `now`: where to look next.
  void took(unsigned messages, unsigned now, const ring_reader& ring) noexcept {
    const unsigned idle_looks = now - last_take_;
    last_take_ = now;
    const unsigned fading = std::min(density_, idle_looks / 2);
    density_ = std::min(density_ - fading + messages, most_density);
    // The writer said that it had stopped: what comes next is taken as a lone message.
    if (std::exchange(paused_now_, false)) density_ = 0;
    if (flooded() && messages >= reach_) reach_ = std::min(2 * reach_, most_reach);
    next_ = flooded() ? never() : ring.ahead(0);
    burst_ = ring.ahead(std::min(reach_, ring.capacity() / 2) - 1);
  }

  // A payload of so many bytes has come. A writer whose room is full waits for its reader, so a
  // burst of payloads ends where half of the smallest room does: took() doubles what is set here.
  void payload_came(std::uint32_t bytes) noexcept {
    if (reach_ * bytes > quarter_room) reach_ = std::max(quarter_room / bytes, 1U);
  }

  // No burst has come by look number `now`.
  [[nodiscard]] bool looked_in_vain(unsigned now) const noexcept {
    return flooded() && now - last_take_ >= looks_in_vain;
  }

  // The burst has not come: the writer has fewer in flight, or has paused. Back to the next slot.
  void give_up(const ring_reader& ring) noexcept {
    reach_ = std::max(reach_ / 2, least_reach);
    flood_is_over(ring);
  }

  void flood_is_over(const ring_reader& ring) noexcept {
    density_ = 0;
    paused_now_ = false;
    next_ = ring.ahead(0);
  }

 private:
  static constexpr unsigned patience = 4000;
  static constexpr unsigned looks_in_vain = 200;
  static constexpr unsigned flood_density = 4;
  static constexpr unsigned most_density = 8;
  static constexpr std::uint32_t least_reach = 4;
  static constexpr std::uint32_t most_reach = 64;
  static constexpr std::uint32_t quarter_room = wire::least_room_bytes / 4;

  static ring_reader::far_slot never() noexcept {
    static constinit slot empty{};
    return {&empty, first_generation};
  }

  ring_reader::far_slot next_;
  ring_reader::far_slot burst_;
  const std::atomic<std::uint32_t>& paused_;
  std::uint32_t pauses_seen_ = 0;
  bool paused_now_ = false;
  unsigned density_ = 0;  // messages that came lately, less half the looks
  unsigned last_take_ = 0;
  std::uint32_t reach_ = most_reach;
};

// The writer's side: tells the reader when nothing more comes for now.
class writer_pause {
 public:
  explicit writer_pause(std::atomic<std::uint32_t>& paused) noexcept : paused_(paused) {}

  void tell(const ring_writer& ring) noexcept {
    if (ring.position() == told_at_) return;
    told_at_ = ring.position();
    // SYNC(paused): with the acquire in pace::wait_for_burst.
    paused_.store(++pauses_, std::memory_order_release);
  }

 private:
  std::atomic<std::uint32_t>& paused_;
  const slot* told_at_ = nullptr;
  std::uint32_t pauses_ = 0;
};

}  // namespace am::detail::shm
