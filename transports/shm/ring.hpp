// A ring of slots with one writer and one reader in different processes. Each side keeps its own
// position; they share nothing but the slots. The writer never checks whether a slot is free: a
// credit guarantees it (docs/flow-control.md).
//
// A ring grows in place: the writer publishes a slot of kind `grow` and goes on at the first slot
// of the new half, which is unused; the reader follows when it comes to the slot `grow`.
#pragma once

#include <libam/seam/snapshot.hpp>
#include <transports/shm/slot.hpp>

#include <algorithm>
#include <cstddef>

namespace am::detail::shm {

// The position of one side: a slot and the generation of the lap.
class ring_position {
 public:
  ring_position(slot* slots, std::uint32_t capacity) noexcept
      : at_(slots), first_(slots), end_(slots + capacity) {}

  [[nodiscard]] std::uint32_t capacity() const noexcept {
    return static_cast<std::uint32_t>(end_ - first_);
  }
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
    lap_ = next_generation(lap_);
  }
  // The lap goes on in the new half, whose memory has no generation yet.
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

  // The slot to fill; publish() makes it the reader's. A cache line ahead is fetched, but not for a
  // lone message where the reader has taken the line for itself (ring_reader::reclaim_line): that
  // would only slow the reader.
  [[nodiscard]] slot& next() noexcept {
    if (!base::rewriting_shared_lines_is_slow) fetch_ahead();
    return *at_;
  }
  // The same for one of many messages.
  [[nodiscard]] slot& next_in_burst() noexcept {
    fetch_ahead();
    return *at_;
  }

  // SYNC(slot): with the acquire in ring_reader::load_control. The reader sees the words, their
  // payload and all that this rank did before.
  void publish(slot& filled, std::uint64_t control) noexcept {
    const generation lap = lap_;
    step();
    filled.control.store(control | lap, std::memory_order_release);
  }

  // The slot of the next message.
  [[nodiscard]] const slot* position() const noexcept { return at_; }

  // The pages of the new half must exist. Takes one slot, for which there is no credit.
  // SYNC(slot): with the acquire in ring_reader::load_control, as publish.
  void grow() noexcept {
    at_->control.store(control_of(kind::grow, 0) | lap_, std::memory_order_release);
    step_into_new_half();
  }

  // The layout of this ring for readers of its last messages. `begun`: written by the target.
  [[nodiscard]] seam::request_ring request_ring_view(
      const std::atomic<std::uint32_t>& begun) const noexcept {
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
  // Near the end of a lap this fetches memory behind the ring, which does no harm: it belongs to
  // this channel, and a prefetch cannot fault.
  void fetch_ahead() const noexcept { base::prefetch_for_write(at_ + prefetch_distance); }

  // In slots: far enough for the line to arrive before it is needed, near enough for it to stay.
  static constexpr std::ptrdiff_t prefetch_distance = 16;
};

class ring_reader : public ring_position {
 public:
  using ring_position::ring_position;

  // The control word of the next slot: full when it carries this lap's generation.
  // SYNC(slot): with the release in ring_writer::publish and grow.
  [[nodiscard]] std::uint64_t load_control() const noexcept {
    return at_->control.load(std::memory_order_acquire);
  }
  [[nodiscard]] bool is_full(std::uint64_t control) const noexcept {
    return generation_of(control) == lap_;
  }
  [[nodiscard]] bool full() const noexcept { return is_full(load_control()); }

  // A slot further on, and the generation that it will be full with. Its content is not read after
  // this check, so no order is needed. Beyond a slot of kind `grow` it never becomes full.
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
    return {there - capacity(), next_generation(lap_)};
  }

  // Calls deliver(control, slot, its number) for at most `budget` messages and returns how many.
  // Calls grow(this position) where the ring goes on in its new half: the caller follows or
  // refuses. It gets a copy: a position whose address is known elsewhere would be in memory at each
  // message, not in registers.
  //
  // Slots are taken in rows, which end with the lap or the budget: within a row a slot is only
  // checked for being full.
  template <class Deliver, class Grow>
  unsigned take(unsigned budget, Deliver&& deliver, Grow&& grow) noexcept {
    unsigned left = budget;
    while (left != 0) {
      const std::uint32_t row = std::min(left, static_cast<std::uint32_t>(end_ - at_));
      const std::uint32_t taken = take_row(row, deliver);
      left -= taken;
      if (at_ == end_) next_lap();
      if (taken == row) continue;
      const std::uint64_t control = load_control();
      if (!is_full(control)) break;
      if (kind_of(control) != kind::grow) continue;
      ring_reader grown = *this;
      grow(grown);
      *this = grown;
    }
    return budget - left;
  }
  void follow_growth() noexcept { step_into_new_half(); }
  // The ring goes on in its new half, before the next message.
  [[nodiscard]] bool is_at_growth() const noexcept {
    const std::uint64_t control = load_control();
    return is_full(control) && kind_of(control) == kind::grow;
  }

 private:
  // Stops at a slot that is not full or of kind `grow`.
  template <class Deliver>
  std::uint32_t take_row(std::uint32_t slots, Deliver& deliver) noexcept {
    const slot* const first = at_;
    const slot* const end = at_ + slots;
    std::uint32_t number = number_of(*at_);
    for (; at_ != end; ++at_) {
      const std::uint64_t control = load_control();
      if (!is_full(control) || kind_of(control) == kind::grow) break;
      deliver(control, *at_, number++);
      reclaim_line();
    }
    return static_cast<std::uint32_t>(at_ - first);
  }
  // Writes to the slot that has been read: on some processors that makes its cache line cheaper for
  // the next writer. The slot is the reader's until its credit has returned, and no rank reads the
  // word.
  void reclaim_line() noexcept {
    if (base::rewriting_shared_lines_is_slow) at_->reader_word = 1;
  }
};

}  // namespace am::detail::shm
