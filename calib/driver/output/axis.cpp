#include <calib/driver/output/axis.hpp>

#include <algorithm>
#include <cmath>

namespace calib {
namespace {

// In decades.
constexpr double margin = 0.05;
constexpr double shortest = 0.7;  // a round value stands beside 1, 2 or 5
constexpr double most_powers = 6;

constexpr double linear_margin = 0.04;  // of the length
constexpr double front_gap = 0.1;       // of the length, between the front and the rest
constexpr double fewest_ticks = 3;      // of a linear axis, about

}  // namespace

bool axis::has_place(double value) const {
  return std::isfinite(value) && (scale_ != scale::log || value > 0);
}

double axis::measure_of(double value) const { return is_log() ? std::log10(value) : value; }

void axis::include(double value) {
  if (!has_place(value)) return;
  if (is_log() && value <= 0) {
    has_front_ = true;
    return;
  }
  low_ = std::min(low_, measure_of(value));
  high_ = std::max(high_, measure_of(value));
}

axis::ends axis::without_front() const {
  const bool is_empty = low_ > high_;
  const double low = is_empty ? 0 : low_;
  const double high = is_empty ? 0 : high_;
  if (is_log()) {
    const double more = margin + std::max(0.0, shortest - (high - low)) / 2;
    return {low - more, high + more};
  }
  if (scale_ == scale::names) return {-0.5, high + 0.5};
  const double from = std::min(low, 0.0);
  const double to = std::max(high, from < 0 ? 0 : 1e-9);
  const double more = linear_margin * (to - from);
  return {from < 0 ? from - more : 0, to + more};
}

double axis::front() const {
  const auto [low, high] = without_front();
  return low - front_gap * (high - low);
}

axis::ends axis::all() const {
  ends out = without_front();
  if (has_front_) out.low = front() - margin;
  return out;
}

double axis::at(double value) const {
  if (!has_place(value)) return value > 0 ? 100 : 0;
  const auto [low, high] = all();
  const double where = is_log() && value <= 0 ? front() : measure_of(value);
  return 100 * (where - low) / (high - low);
}

std::vector<double> axis::log_ticks(double most_decades_with_steps) const {
  const auto [low, high] = without_front();
  std::vector<double> out;
  if (has_front_) out.push_back(0);
  const int by = std::max(1, static_cast<int>(std::ceil((high - low) / most_powers)));
  for (int power = static_cast<int>(std::floor(low)); power <= high; ++power)
    for (const int step : {1, 2, 5}) {
      const double value = step * std::pow(10, power);
      if ((step > 1 || power % by != 0) && high - low > most_decades_with_steps) continue;
      if (std::log10(value) > low && std::log10(value) < high) out.push_back(value);
    }
  return out;
}

std::vector<double> axis::linear_ticks() const {
  const auto [low, high] = all();
  double step = std::pow(10, std::floor(std::log10((high - low) / fewest_ticks)));
  for (const double longer : {5, 2})
    if ((high - low) / (longer * step) >= fewest_ticks) {
      step *= longer;
      break;
    }
  std::vector<double> out;
  for (double n = std::ceil(low / step); n * step <= high; ++n) out.push_back(n * step);
  return out;
}

std::vector<double> axis::ticks(double most_decades_with_steps) const {
  if (is_log()) return log_ticks(most_decades_with_steps);
  if (scale_ == scale::linear) return linear_ticks();
  std::vector<double> out;
  for (double n = 0; n <= high_; ++n) out.push_back(n);
  return out;
}

}  // namespace calib
