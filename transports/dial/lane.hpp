// A lane: the stamps of all messages that one rank sends to another, in order, beside the messages
// themselves. One writer, one reader, in memory that both have mapped.
//
// The times of a lane increase, so an entry is new where its time is later than that of the entry
// before; no counter is shared. No entry is written again before it has been read: a rank has at
// most W requests without an answer at another and as many answers, and a message that is handled
// has been read here but for one batch.
#pragma once

#include <libam/base/cache_line.hpp>
#include <libam/base/settings.hpp>
#include <libam/seam/transport.hpp>
#include <transports/dial/card.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace am::detail::dial {

// The most messages that a reader takes before it moves on in the lane.
inline constexpr unsigned most_batch = 64;
inline constexpr std::size_t lane_entries = 2 * std::size_t{base::most_credits} + 4 * most_batch;

struct stamp {
  seam::message_class what;
  std::uint16_t transport;  // of the name of the one that carries the message, alike in all ranks
  std::uint32_t bytes;      // at most as many as fit
};

struct lane_entry {
  std::atomic<ticks> leave;
  stamp of;
};

class lane_writer {
 public:
  lane_writer() noexcept = default;
  explicit lane_writer(lane_entry* first) noexcept : first_(first) {}
  [[nodiscard]] bool exists() const noexcept { return first_ != nullptr; }

  // The line of the next stamp, which its reader polls.
  void prefetch() const noexcept {
    if (first_ != nullptr) base::prefetch_for_write(&first_[at_]);
  }
  void add(ticks leave, stamp of) noexcept {
    last_ = std::max(leave, last_ + 1);
    lane_entry& next = first_[at_];
    at_ = at_ + 1 == lane_entries ? 0 : at_ + 1;
    next.of = of;
    // SYNC(stamp): with the acquire in lane_reader::has.
    next.leave.store(last_, std::memory_order_release);
  }

 private:
  lane_entry* first_ = nullptr;
  std::size_t at_ = 0;
  ticks last_ = 0;
};

class lane_reader {
 public:
  explicit lane_reader(const lane_entry* first) noexcept : first_(first) {}

  // The next entry, and the one behind it with ahead = 1; each in this order.
  struct entry {
    ticks leave;
    stamp of;
  };
  // False: there is none yet. `before`: the time of the entry before it.
  [[nodiscard]] bool has(unsigned ahead, ticks before, entry& out) const noexcept {
    const std::size_t at = at_ + ahead;
    const lane_entry& one = first_[at < lane_entries ? at : at - lane_entries];
    // SYNC(stamp): with the release in lane_writer::add.
    const ticks leave = one.leave.load(std::memory_order_acquire);
    if (leave <= before) return false;
    out = {leave, one.of};
    return true;
  }
  [[nodiscard]] bool next(entry& out) const noexcept { return has(0, last_, out); }
  void pop(ticks leave) noexcept {
    last_ = leave;
    at_ = at_ + 1 == lane_entries ? 0 : at_ + 1;
  }

 private:
  const lane_entry* first_;
  std::size_t at_ = 0;
  ticks last_ = 0;
};

}  // namespace am::detail::dial
