#include <calib/statistics.hpp>

#include <algorithm>
#include <cmath>

namespace calib {
namespace {

constexpr std::size_t exact_up_to = 70;
constexpr double tail = 0.025;       // on each side, for 95 %
constexpr double z = 1.96;           // the same in standard deviations
constexpr std::size_t warm_run = 5;  // samples in a row that must look warm
constexpr double nearly = 0.02;      // of the warm median

// The sample at the middle of the lower (part = 1) or upper (part = 3) half, sorted.
double quartile(const std::vector<double>& sorted, std::size_t part) {
  const std::size_t last = sorted.size() - 1;
  return sorted[(part * last + 2) / 4];
}

}  // namespace

double median(std::vector<double> samples) {
  const std::size_t half = samples.size() / 2;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) return *middle;
  return (*std::max_element(samples.begin(), middle) + *middle) / 2;
}

std::optional<ranks> median_ranks(std::size_t n) {
  if (n > exact_up_to) {
    const double count = static_cast<double>(n);
    const double width = z * std::sqrt(count);
    return ranks{static_cast<std::size_t>(std::floor((count - width) / 2)),
                 static_cast<std::size_t>(std::ceil(1 + (count + width) / 2))};
  }
  // The largest k for which fewer than k of n samples fall below the median with at most `tail`.
  double chance = std::pow(0.5, static_cast<double>(n));  // that exactly `below` do
  double up_to = chance;
  std::size_t k = 0;
  for (std::size_t below = 0; below < n && up_to <= tail; ++below) {
    k = below + 1;
    chance *= static_cast<double>(n - below) / static_cast<double>(below + 1);
    up_to += chance;
  }
  if (k == 0) return std::nullopt;
  return ranks{k, n + 1 - k};
}

bool estimate::within(double part, double whole) const {
  const double off = std::abs(whole) * part;
  return interval && interval->low >= median - off && interval->high <= median + off;
}

estimate estimate_of(std::vector<double> samples) {
  estimate out;
  out.n = samples.size();
  std::sort(samples.begin(), samples.end());
  out.median = median(samples);
  if (const auto at = median_ranks(out.n))
    out.interval = estimate::bounds{samples[at->low - 1], samples[at->high - 1]};
  return out;
}

estimate divided(estimate of, double by) {
  of.median /= by;
  if (of.interval) of.interval = estimate::bounds{of.interval->low / by, of.interval->high / by};
  return of;
}

std::size_t warm_up(std::span<const double> samples) {
  const std::size_t half = samples.size() / 2;
  if (half < warm_run) return 0;
  std::vector<double> warm(samples.begin() + static_cast<std::ptrdiff_t>(half), samples.end());
  std::sort(warm.begin(), warm.end());
  const double level = median(warm);
  const double low = std::min(quartile(warm, 1), level * (1 - nearly));
  const double high = std::max(quartile(warm, 3), level * (1 + nearly));
  for (std::size_t first = 0; first < half; ++first) {
    const auto here = samples.subspan(first, warm_run);
    const double now = median(std::vector<double>(here.begin(), here.end()));
    if (low <= now && now <= high) return first;
  }
  return half;
}

double quartile_distance(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return quartile(samples, 3) - quartile(samples, 1);
}

double spread(std::vector<double> samples) { return quartile_distance(samples) / median(samples); }

}  // namespace calib
