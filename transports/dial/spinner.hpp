// Keeps this processor busy for a given time, of which the cost of the spin itself is taken off. It
// measures that when it is made.
#pragma once

#include <am/clock.hpp>
#include <transports/dial/card.hpp>

#include <algorithm>
#include <chrono>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace am::detail::dial {

class spinner {
 public:
  spinner() noexcept;

  // Does not wait for the code before it, as am::clock does: a reading per message is enough to
  // pay.
  [[nodiscard]] ticks now() const noexcept {
#if defined(__x86_64__)
    if (has_counter_) [[likely]]
      return __rdtsc();
#endif
    return clock_.now();
  }
  [[nodiscard]] ticks of_ns(double ns) const noexcept {
    return static_cast<ticks>(ns * ticks_per_ns_ + 0.5);
  }
  [[nodiscard]] double ns(ticks length) const noexcept { return clock_.ns(length); }

  // How long it is until `then`.
  [[nodiscard]] std::chrono::nanoseconds until(ticks then, ticks now) const noexcept {
    constexpr double most = 1e18;
    const double left = then > now ? std::min(ns(then - now), most) : 0;
    return std::chrono::nanoseconds(static_cast<std::int64_t>(left));
  }

  // The length to be given to spin() for `added` ticks more than without the call.
  [[nodiscard]] ticks length_for(ticks added) const noexcept {
    return added > cost_ ? added - cost_ : 0;
  }
  // The same where spin() is called in the place of now().
  [[nodiscard]] ticks length_beside_reading(ticks added) const noexcept {
    return added > cost_beside_reading_ ? added - cost_beside_reading_ : 0;
  }
  // Returns the time at the end.
  ticks spin(ticks length) const noexcept {
    const ticks end = now() + length;
    return spin_until(end);
  }
  ticks spin_until(ticks end) const noexcept {
    ticks at = now();
    while (at < end) at = now();
    return at;
  }

 private:
  am::clock clock_;
  bool has_counter_;
  double ticks_per_ns_;
  ticks cost_ = 0;
  ticks cost_beside_reading_ = 0;
};

}  // namespace am::detail::dial
