// How long the messages of a peer are under way without a dial: what a dialled latency is added to.
// Learned from lone messages whose arrival a rank that polls without a pause has seen; the estimate
// follows the median, since some of them are delayed by much else.
#pragma once

#include <transports/dial/card.hpp>

#include <algorithm>

namespace am::detail::dial {

class flight_estimate {
 public:
  [[nodiscard]] ticks median() const noexcept { return median_; }

  void add(ticks sample) noexcept {
    if (samples_++ == 0) {
      median_ = sample;
      return;
    }
    const ticks part = samples_ < few_samples ? coarse : fine;
    const ticks step = std::max<ticks>(median_ / part, 1);
    median_ = sample > median_ ? median_ + step : median_ - std::min(step, median_);
  }

 private:
  static constexpr unsigned few_samples = 32;
  static constexpr ticks coarse = 8;  // a step is the median divided by this
  static constexpr ticks fine = 256;

  ticks median_ = 0;
  unsigned samples_ = 0;
};

}  // namespace am::detail::dial
