// The statistics of everything that is measured: medians with exact-rank intervals, and warm-up
// that is found, not guessed. Nothing is averaged, no sample is dropped as an outlier.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace calib {

// The median: of an even number the mean of the two in the middle. `samples` must not be empty.
double median(std::vector<double> samples);

// Which of n sorted samples (counted from 1) enclose the true median with at least 95 %. Up to
// n = 70 by the binomial distribution itself, above by its normal approximation, rounded outwards;
// none below n = 6.
struct ranks {
  std::size_t low;
  std::size_t high;
};
std::optional<ranks> median_ranks(std::size_t n);

// A median and, if there were enough samples, the interval that holds it with 95 %.
struct estimate {
  struct bounds {
    double low;
    double high;
  };
  double median = 0;
  std::optional<bounds> interval;
  std::size_t n = 0;

  // Both ends of the interval lie within this part of the median, or of what it is a part of.
  [[nodiscard]] bool within(double part) const { return within(part, median); }
  [[nodiscard]] bool within(double part, double whole) const;
  // Known as well as a measured value should be.
  [[nodiscard]] bool reached() const { return reached(median); }
  [[nodiscard]] bool reached(double whole) const { return within(0.05, whole); }
};
estimate estimate_of(std::vector<double> samples);  // not empty
estimate divided(estimate of, double by);           // a positive number

// How many samples at the front are warm-up. The second half is taken to be warm. Warm-up ends
// with the first sample from which the median of five in a row lies between the quartiles of the
// warm half, or within 2 % of its median; at most half of the samples are warm-up.
std::size_t warm_up(std::span<const double> samples);

// The quartiles' distance. Not empty.
double quartile_distance(std::vector<double> samples);

// The quartiles' distance as a part of the median: the spread within one launch. Not empty.
double spread(std::vector<double> samples);

}  // namespace calib
