// The axis of a picture: where a value stands on it, and its round values.
#pragma once

#include <limits>
#include <vector>

namespace calib {

class axis {
 public:
  enum class scale {
    log,         // what is not positive has no place
    log_from_0,  // logarithmic, with a place of its own in front for what is 0 or less
    linear,      // with 0 on it
    names,       // whole numbers from 0 on
  };
  explicit axis(scale of) : scale_(of) {}

  // Makes the axis long enough for it, if it has a place. None has what is not finite.
  void include(double value);
  [[nodiscard]] bool has_place(double value) const;

  // Where a value stands, in per cent of the length; the ends of the axis for what has no place.
  [[nodiscard]] double at(double value) const;
  // Round values. On a logarithmic axis 1, 2 and 5 of each power of ten, or the powers alone on an
  // axis of more decades.
  [[nodiscard]] std::vector<double> ticks(double most_decades_with_steps) const;

 private:
  [[nodiscard]] bool is_log() const { return scale_ == scale::log || scale_ == scale::log_from_0; }
  // Where the values are measured: decades on a logarithmic axis.
  [[nodiscard]] double measure_of(double value) const;
  // With a margin, and with the place in front.
  struct ends {
    double low, high;
  };
  [[nodiscard]] ends all() const;
  [[nodiscard]] ends without_front() const;
  [[nodiscard]] double front() const;
  [[nodiscard]] std::vector<double> log_ticks(double most_decades_with_steps) const;
  [[nodiscard]] std::vector<double> linear_ticks() const;

  scale scale_;
  bool has_front_ = false;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

}  // namespace calib
