#include <calib/driver/html/axis.hpp>

#include <algorithm>
#include <cmath>

namespace calib::html {
namespace {

// In decades.
constexpr double margin = 0.05;
constexpr double shortest = 0.7;  // a round value stands beside 1, 2 or 5

}  // namespace

bool log_axis::has_place(double value) { return std::isfinite(value) && value > 0; }

void log_axis::include(double value) {
  if (!has_place(value)) return;
  low_ = std::min(low_, std::log10(value));
  high_ = std::max(high_, std::log10(value));
}

log_axis::ends log_axis::all() const {
  const bool is_empty = low_ > high_;
  const double low = is_empty ? 0 : low_;
  const double high = is_empty ? 0 : high_;
  const double more = margin + std::max(0.0, shortest - (high - low)) / 2;
  return {low - more, high + more};
}

double log_axis::at(double value) const {
  if (!has_place(value)) return value > 0 ? 100 : 0;
  const auto [low, high] = all();
  return 100 * (std::log10(value) - low) / (high - low);
}

std::vector<double> log_axis::ticks(double most_decades_with_steps) const {
  const auto [low, high] = all();
  std::vector<double> out;
  for (int power = static_cast<int>(std::floor(low)); power <= high; ++power)
    for (const int step : {1, 2, 5}) {
      const double value = step * std::pow(10, power);
      if (step > 1 && high - low > most_decades_with_steps) continue;
      if (std::log10(value) > low && std::log10(value) < high) out.push_back(value);
    }
  return out;
}

}  // namespace calib::html
