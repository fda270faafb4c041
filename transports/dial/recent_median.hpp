// The median of the last times of something: of those that a message takes by itself, some are
// longer by much that has nothing to do with it.
#pragma once

#include <transports/dial/card.hpp>

#include <algorithm>
#include <array>

namespace am::detail::dial {

class recent_median {
 public:
  // 0: none is known.
  [[nodiscard]] ticks value() const noexcept { return median_; }

  [[nodiscard]] bool is_settled() const noexcept { return known_ == kept; }

  void add(ticks sample) noexcept {
    last_[next_] = sample;
    next_ = next_ + 1 == last_.size() ? 0 : next_ + 1;
    known_ = std::min(known_ + 1, last_.size());
    std::array<ticks, kept> sorted = last_;
    // Of an even number the lower one: of two, one may be disturbed.
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((known_ - 1) / 2);
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
