// A straight line through points by least squares of the distances in ns, so large pieces count
// most. The methods that LogGP is checked against fit this way; LogGP's own segments (loggp.hpp)
// minimise the relative errors.
#pragma once

#include <calib/logp/loggp.hpp>

#include <optional>
#include <span>

namespace calib::logp {

struct linear_fit {
  double ns;        // at 0 bytes
  double per_byte;  // ns/B
};

// Nothing: the points have fewer than two sizes.
std::optional<linear_fit> least_squares(std::span<const sized_gap> points);

// T(n) = T0 + n / R_inf, the model of start-up time and peak rate. R_inf is meaningful. T0 is not:
// it contains o, L and their overlap and cannot separate them, and a small bend in the points moves
// it to any value, even below 0.
struct startup {
  double T0;     // ns
  double R_inf;  // bytes per ns
};

// Least squares, as usual for this model, through the delivery times (the `ns` of these points).
// Nothing: the times do not rise with the size.
std::optional<startup> startup_of(std::span<const sized_gap> times);

}  // namespace calib::logp
