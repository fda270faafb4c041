#include <calib/driver/commtest/curve.hpp>

#include <algorithm>
#include <cmath>

namespace calib {
namespace {

constexpr double step_within = 0.25;  // of the expected time

bool changes_behind(const swap_curve& of, std::size_t i, double alpha) {
  const double more = of.packets[i + 1] - of.packets[i];
  const double expected = of.times[i] + alpha * more;
  // Times with noise may make alpha negative, and then what is expected, too.
  return std::abs(of.times[i + 1] - expected) > step_within * std::abs(expected);
}

}  // namespace

double alpha_of(const swap_curve& of) {
  const std::size_t last = of.times.size() - 1;
  return (of.times[last] - of.times[last - 1]) / (of.packets[last] - of.packets[last - 1]);
}

double beta_of(const swap_curve& of) { return std::ranges::min(of.times) / of.volume; }

index_range dominant_range(const swap_curve& of, double alpha) {
  index_range longest{0, 0};
  for (index_range one{0, 0}; one.last < of.times.size(); one.first = ++one.last) {
    while (one.last + 1 < of.times.size() && !changes_behind(of, one.last, alpha)) ++one.last;
    if (one.last - one.first >= longest.last - longest.first) longest = one;
  }
  return longest;
}

model_error model_error_of(const swap_curve& of, double alpha, double beta) {
  const index_range over = dominant_range(of, alpha);
  model_error out;
  for (std::size_t i = over.first; i <= over.last; ++i) {
    const double model = alpha * of.packets[i] + beta * of.volume;
    const double error = std::abs(of.times[i] - model) / of.times[i];
    out.greatest = std::max(out.greatest, error);
    out.mean += error;
  }
  out.mean /= static_cast<double>(over.last - over.first + 1);
  out.from = of.packets[over.first];
  out.to = of.packets[over.last];
  return out;
}

}  // namespace calib
