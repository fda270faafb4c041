// How long the messages of a peer are under way without a dial: what a dialled latency is added to.
// Learned from lone messages whose arrival a rank that polls without a pause has seen: the median
// of the last ones, since some of them are delayed by much else.
#pragma once

#include <transports/dial/card.hpp>

#include <algorithm>
#include <array>

namespace am::detail::dial {

class flight_estimate {
 public:
  // 0: none is known.
  [[nodiscard]] ticks median() const noexcept { return median_; }

  void add(ticks sample) noexcept {
    last_[next_] = sample;
    next_ = next_ + 1 == last_.size() ? 0 : next_ + 1;
    known_ = std::min(known_ + 1, last_.size());
    std::array<ticks, kept> sorted = last_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(known_ / 2);
    std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(known_));
    median_ = *middle;
  }

 private:
  static constexpr std::size_t kept = 31;

  std::array<ticks, kept> last_{};
  std::size_t next_ = 0;
  std::size_t known_ = 0;
  ticks median_ = 0;
};

}  // namespace am::detail::dial
