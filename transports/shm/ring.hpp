// A ring of slots with one writer and one reader in different processes. Each side keeps its own
// position; they share nothing but the slots. The writer never asks whether a slot is free: the
// credits of the pair say so (docs/flow-control.md).
//
// A ring grows in place: the writer publishes a slot of kind `grow` and goes on at the first slot
// of the new half, which nobody has used; the reader follows when it comes to that slot.
#pragma once

#include <libam/seam/snapshot.hpp>
#include <transports/shm/slot.hpp>

#include <algorithm>
#include <cstddef>

namespace am::detail::shm {

// Where one side stands: a slot and the generation of the lap.
class ring_position {
 public:
  ring_position(slot* slots, std::uint32_t capacity) noexcept
      : at_(slots), first_(slots), end_(slots + capacity) {}

  [[nodiscard]] std::uint32_t capacity() const noexcept {
    return static_cast<std::uint32_t>(end_ - first_);
  }
  // The number of a slot of this ring.
  [[nodiscard]] std::uint32_t number_of(const slot& one) const noexcept {
    return static_cast<std::uint32_t>(&one - first_);
  }

 protected:
  void step() noexcept {
    if (++at_ == end_) [[unlikely]]
      next_lap();
  }
  void next_lap() noexcept {
    at_ = first_;
    lap_ = after(lap_);
  }
  // The lap goes on in the new half, whose memory carries no generation yet.
  void step_into_new_half() noexcept {
    at_ = end_;
    end_ += capacity();
  }

  slot* at_;
  generation lap_ = first_generation;
  slot* first_;
  slot* end_;
};

class ring_writer : public ring_position {
 public:
  using ring_position::ring_position;

  // The slot to fill; publish() makes it the reader's. Its line is fetched ahead, but not for a
  // lone message where the reader has it alone (ring_reader::take_along): that would only slow the
  // reader.
  [[nodiscard]] slot& next() noexcept {
    if (!base::shared_lines_are_dear) fetch_ahead();
    return *at_;
  }
  // The same where many follow each other.
  [[nodiscard]] slot& next_of_many() noexcept {
    fetch_ahead();
    return *at_;
  }

  // SYNC(slot): with the acquire in ring_reader::look. The words, their payload and all that this
  // rank did before are the reader's from here.
  void publish(slot& filled, std::uint64_t control) noexcept {
    const generation lap = lap_;
    step();
    filled.control.store(control | lap, std::memory_order_release);
  }

  // Where the next message goes: different after every message but for whole laps.
  [[nodiscard]] const slot* position() const noexcept { return at_; }

  // The pages of the new half must exist. Takes one slot, which the credits leave over.
  // SYNC(slot): with the acquire in ring_reader::look, as publish.
  void grow() noexcept {
    at_->control.store(control_of(kind::grow, 0) | lap_, std::memory_order_release);
    step_into_new_half();
  }

  // Where the last messages are found. `begun`: as the target tells.
  [[nodiscard]] seam::request_ring exposed(const std::atomic<std::uint32_t>& begun) const noexcept {
    seam::request_ring ring;
    ring.first = first_;
    ring.stride = sizeof(slot);
    ring.words_at = offsetof(slot, words);
    ring.handler_shift = handler_shift;
    ring.next = &at_;
    ring.end = &end_;
    ring.lap = &lap_;
    ring.gap_mask = control_of(kind{0xff}, 0);
    ring.gap = control_of(kind::grow, 0);
    ring.begun = &begun;
    return ring;
  }

 private:
  // Near the end of a lap this asks for lines behind the ring, which does no harm: they are this
  // channel's own, and a prefetch cannot fault.
  void fetch_ahead() const noexcept { base::prefetch_for_write(at_ + prefetch_distance); }

  // Far enough for the line to be here when it is needed, near enough for it to be here still.
  static constexpr std::ptrdiff_t prefetch_distance = 16;
};

class ring_reader : public ring_position {
 public:
  using ring_position::ring_position;

  // The control word of the next slot: full when it carries this lap's generation.
  // SYNC(slot): with the release in ring_writer::publish and grow.
  [[nodiscard]] std::uint64_t look() const noexcept {
    return at_->control.load(std::memory_order_acquire);
  }
  [[nodiscard]] bool is_full(std::uint64_t control) const noexcept {
    return generation_of(control) == lap_;
  }
  [[nodiscard]] bool full() const noexcept { return is_full(look()); }

  // The slot `ahead` places further on, and the generation that it will be full with. Whether it
  // is says nothing about its content, so no order is needed. (Across a growth it never is.)
  struct far_slot {
    const slot* place;
    generation lap;
    [[nodiscard]] bool full() const noexcept {
      return generation_of(place->control.load(std::memory_order_relaxed)) == lap;
    }
  };
  [[nodiscard]] far_slot ahead(std::uint32_t distance) const noexcept {
    const slot* there = at_ + distance;
    if (there < end_) return {there, lap_};
    return {there - capacity(), after(lap_)};
  }

  // Hands on at most `budget` messages by deliver(control, slot, its number) and says how many.
  // grow(): the ring goes on in its new half, which the caller follows or refuses.
  //
  // Slots are taken in rows, which end where the lap does or the budget: within a row nothing has
  // to be asked of a slot but whether it is full.
  template <class Deliver, class Grow>
  unsigned take(unsigned budget, Deliver&& deliver, Grow&& grow) noexcept {
    unsigned left = budget;
    while (left != 0) {
      const std::uint32_t row = std::min(left, static_cast<std::uint32_t>(end_ - at_));
      const std::uint32_t taken = take_row(row, deliver);
      left -= taken;
      if (at_ == end_) next_lap();
      if (taken == row) continue;
      const std::uint64_t control = look();
      if (!is_full(control)) break;
      if (kind_of(control) == kind::grow) grow();
    }
    return budget - left;
  }
  void follow_growth() noexcept { step_into_new_half(); }

 private:
  // Up to a slot that is not full, or one of growth.
  template <class Deliver>
  std::uint32_t take_row(std::uint32_t slots, Deliver& deliver) noexcept {
    const slot* const first = at_;
    const slot* const end = at_ + slots;
    std::uint32_t number = number_of(*at_);
    for (; at_ != end; ++at_) {
      const std::uint64_t control = look();
      if (!is_full(control) || kind_of(control) == kind::grow) break;
      deliver(control, *at_, number++);
      take_along();
    }
    return static_cast<std::uint32_t>(at_ - first);
  }
  // Writes to the slot that has been read, where that makes its line cheaper for the next writer.
  // The slot is this rank's until its credit is home, and nobody reads the word.
  void take_along() noexcept {
    if (base::shared_lines_are_dear) at_->readers = 1;
  }
};

}  // namespace am::detail::shm
