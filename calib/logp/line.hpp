// The straight line that least squares put through points: every one of them counts by how far it
// is off in ns, so large pieces count most. As other methods have it; LogGP's own lines (loggp.hpp)
// are of the relative errors.
#pragma once

#include <calib/logp/loggp.hpp>

#include <optional>
#include <span>

namespace calib::logp {

struct line {
  double ns;        // at no bytes at all
  double per_byte;  // ns/B
};

// Nothing: the points are of fewer than two sizes.
std::optional<line> least_squares(std::span<const sized_gap> points);

}  // namespace calib::logp
