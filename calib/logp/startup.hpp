// T(n) = T0 + n / R_inf, the model of start-up time and peak rate. R_inf is what it says. T0 is
// not: o, L and what of them happens at the same time are all in it and cannot be told apart, and a
// small bend in the points makes it anything, also less than nothing.
#pragma once

#include <calib/logp/loggp.hpp>

#include <optional>
#include <span>

namespace calib::logp {

struct startup {
  double T0;     // ns
  double R_inf;  // bytes per ns
};

// By least squares, as it is usually done, of when a piece is there (the `ns` of these points).
// Nothing: the points do not rise.
std::optional<startup> startup_of(std::span<const sized_gap> times);

}  // namespace calib::logp
