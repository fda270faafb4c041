// The receiving end of a dialled rank: which messages are due, over all its peers. What is not due
// stays in the transport, as does what has a stamp but has not come yet.
#pragma once

#include <libam/seam/transport.hpp>
#include <transports/dial/card.hpp>
#include <transports/dial/delay_function.hpp>
#include <transports/dial/delivery_gap.hpp>
#include <transports/dial/gap_use.hpp>
#include <transports/dial/lane.hpp>
#include <transports/dial/lanes.hpp>
#include <transports/dial/recent_median.hpp>
#include <transports/dial/spinner.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

namespace am::detail::dial {

class receiver {
 public:
  receiver(const lanes& all, am_rank rank, am_rank ranks, const spinner& clock,
           const base::dials& of);
  am_status load_functions(const base::dials& of);

  // A wrapped transport, as its wrapper sees it.
  struct route {
    seam::transport& inner;
    std::uint16_t number;
    ticks last_poll = 0;
    ticks polls_since = 0;  // without a long pause
  };
  // Delivers at most `budget` messages that are due, in the order in which they arrive. One that is
  // due before the next poll would come is waited for, so that it is not late. `start`: of this
  // poll.
  unsigned deliver(route& by, unsigned budget, ticks start) noexcept;

  // Since when this poll is busy with the message that it delivers, if that is its first one.
  [[nodiscard]] ticks busy_since() const noexcept { return busy_since_; }

  // Of this rank's handlers and answers.
  [[nodiscard]] delivery_gap& own_gap() noexcept { return own_gap_; }

  // For how long nothing that has come by this route is due; the longest time: nothing has come.
  [[nodiscard]] std::chrono::nanoseconds time_left(const route& by) const noexcept;

  // By its function.
  ticks latency_of(am_rank from, std::size_t bytes, ticks leave) noexcept {
    return latency_of_(from, bytes, leave);
  }

  [[nodiscard]] const gap_use& use() const noexcept { return gap_use_; }

  // Nothing of that peer is delivered any more.
  void retire(am_rank peer) noexcept { sources_[peer].retired = true; }

 private:
  struct source {
    lane_reader lane;
    bool has_front = false;
    std::uint8_t contacts = 0;  // by class, a bit: one has come, and the first may wait for a
                                // connection, or to be accepted
    bool was_empty = true;      // the last poll found no stamp
    bool lone = false;          // nor any before this front
    bool seen = false;          // the front's message has come
    bool absent = false;        // it has not, though it is due; until the next poll
    bool retired = false;
    lane_reader::entry front{};
    ticks longer = 0;        // the front's latency, by its function
    recent_median flight{};  // how long small messages are under way without a dial
  };

  [[nodiscard]] ticks arrival_of(const source& one, const lane_reader::entry& of) const noexcept {
    if (latency_ == 0 && !latency_of_.exists()) return of.leave;
    return of.leave + latency_ + one.longer + (is_whole_ ? 0 : one.flight.value());
  }
  [[nodiscard]] bool is_front_of(const source& one, const route& by) const noexcept {
    return one.has_front && !one.retired && one.front.of.transport == by.number;
  }
  bool find_front(source& one) noexcept;
  bool find_fronts() noexcept;
  // When the front's or another message of that source is due.
  [[nodiscard]] ticks due_of(const receiver_card& card, const source& one,
                             const lane_reader::entry& of) const noexcept {
    return card.due(arrival_of(one, of), sizes_.count(of.of.bytes));
  }
  void learn_flights(const route& by, ticks& now) noexcept;
  [[nodiscard]] source* find_earliest(const route& by) noexcept;
  [[nodiscard]] bool wait_until_due(const source& one, ticks& now, ticks& pause) noexcept;
  void say_if_too_short(const recent_median& flight) noexcept;
  [[nodiscard]] unsigned count_due(const source& one, ticks now, unsigned most) const noexcept;
  unsigned deliver_from(source& one, const route& by, ticks now, unsigned most) noexcept;

  const spinner& clock_;
  const ticks latency_;
  const bool is_whole_;
  const ticks longest_pause_;  // between polls of a rank that polls all the time
  receiver_card card_;
  gap_use gap_use_;
  const fragment_sizes sizes_;
  delay_function latency_of_;
  delay_function gap_of_;
  delivery_gap own_gap_;
  ticks busy_since_ = 0;
  bool said_ = false;
  std::vector<source> sources_;  // by rank
};

}  // namespace am::detail::dial
