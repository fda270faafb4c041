// LogGP: how the gap between pieces of data grows with their size, g(n) = g0 + n G, in segments
// where a protocol changes.
#pragma once

#include <span>
#include <vector>

namespace calib::logp {

struct sized_gap {
  double bytes;
  double ns;  // between pieces of that size that follow each other
};

// For pieces of `from` to `to` bytes.
struct segment {
  double from, to;
  double g0;  // ns
  double G;   // ns/B
};

// As few segments as hold every point to within 10 %; the points by size. Of each segment the line
// is that of least squares of the relative errors. A gap is a difference of two measurements: one
// that came out as no time at all is noise, and left out.
std::vector<segment> fit(std::span<const sized_gap> points);

}  // namespace calib::logp
