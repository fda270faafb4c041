// How long the processor is kept busy with a message beyond what the message takes by itself: for a
// time that is added, or until the whole has passed. The part of a whole that comes behind the spin
// has to be known beforehand: it is the median of the last messages.
#pragma once

#include <libam/base/dials.hpp>
#include <transports/dial/recent_median.hpp>
#include <transports/dial/spinner.hpp>

namespace am::detail::dial {

class overhead {
 public:
  // `name`: of its dial. `added`: the length of the spin, unless there is a `whole`.
  overhead(const char* name, const spinner& clock, ticks added, ticks whole) noexcept
      : name_(name), clock_(clock), added_(added), whole_(whole) {}

  [[nodiscard]] bool is_whole() const noexcept { return whole_ != 0; }

  // Where a message is only begun here; returns the time at the end. `more`: added to either.
  ticks spend(ticks more) noexcept {
    if (is_whole()) return spend_whole(clock_.now(), more);
    return added_ + more == 0 ? clock_.now() : clock_.spin(added_ + more);
  }
  // Of a whole: the processor has been busy with the message since then.
  ticks spend_whole(ticks since, ticks more) noexcept;
  // The same for a message that nothing comes behind.
  ticks spend_in_full(ticks since, ticks more) const noexcept {
    return clock_.spin_until(since + more + whole_);
  }
  // Of a whole: so much has passed since spend, for the message alone. Learned in the next spend,
  // because that takes time itself.
  void end(ticks rest) noexcept { last_rest_ = rest; }

 private:
  void learn(ticks own) noexcept;

  const char* name_;
  const spinner& clock_;
  const ticks added_;
  const ticks whole_;
  recent_median rest_;
  recent_median own_;      // without a spin
  ticks last_rest_ = 0;    // 0: not known
  ticks last_before_ = 0;  // what had passed of the last message when its spin began
  unsigned messages_ = 0;
  bool said_ = false;
};

}  // namespace am::detail::dial
