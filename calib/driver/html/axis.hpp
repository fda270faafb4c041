// A logarithmic axis of a picture.
#pragma once

#include <limits>
#include <vector>

namespace calib::html {

class log_axis {
 public:
  // Makes the axis long enough for it. A value that is not positive and finite has no place on it.
  void include(double value);
  [[nodiscard]] static bool has_place(double value);

  // Where a value stands, in per cent of the length; the ends of the axis for what has no place.
  [[nodiscard]] double at(double value) const;
  // Round values: 1, 2 and 5 of each power of ten, or the powers alone on an axis of more decades.
  [[nodiscard]] std::vector<double> ticks(double most_decades_with_steps) const;

 private:
  // The decades, with a margin.
  struct ends {
    double low, high;
  };
  [[nodiscard]] ends all() const;

  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

}  // namespace calib::html
