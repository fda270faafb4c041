// A figure and the ends between which it lies.
#pragma once

#include <algorithm>

namespace calib::suite {

struct range {
  double likely = 0;
  double low = 0;
  double high = 0;

  static range exactly(double value) { return {value, value, value}; }
  friend range operator+(const range& a, const range& b) {
    return {a.likely + b.likely, a.low + b.low, a.high + b.high};
  }
  // Both from the same end of what is not known, so the ends may change places.
  friend range operator-(const range& a, const range& b) {
    const double difference = a.likely - b.likely;
    const double one = a.low - b.low;
    const double other = a.high - b.high;
    return {difference, std::min({difference, one, other}), std::max({difference, one, other})};
  }
  friend range operator*(const range& a, double times) {
    return {a.likely * times, std::min(a.low * times, a.high * times),
            std::max(a.low * times, a.high * times)};
  }
  [[nodiscard]] range at_least(double value) const {
    return {std::max(likely, value), std::max(low, value), std::max(high, value)};
  }
};

}  // namespace calib::suite
