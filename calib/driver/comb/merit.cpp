#include <calib/driver/comb/merit.hpp>

#include <algorithm>
#include <cstddef>

namespace calib {
namespace {

traded_point limited(const traded_point& one) {
  return {one.iterations, std::clamp(one.availability, 0.0, 1.0), std::clamp(one.share, 0.0, 1.0)};
}

double above_line(const traded_point& one) {
  const traded_point at = limited(one);
  return at.availability + at.share - 1;
}

// From (1, 0) to (0, 1), over the points of which none is better in both: one counts if its share
// is above those of all with more availability.
std::vector<traded_point> best_of(const std::vector<traded_point>& curve) {
  std::vector<traded_point> points;
  for (const traded_point& one : curve) points.push_back(limited(one));
  std::ranges::sort(points, [](const traded_point& a, const traded_point& b) {
    return a.availability != b.availability ? a.availability > b.availability : a.share < b.share;
  });
  std::vector<traded_point> out = {{0, 1, 0}};
  for (const traded_point& one : points)
    if (one.share > out.back().share) out.push_back(one);
  out.push_back({0, 0, 1});
  return out;
}

}  // namespace

double figure_of_merit(const std::vector<traded_point>& curve) {
  const std::vector<traded_point> best = best_of(curve);
  double area = 0;
  for (std::size_t i = 1; i < best.size(); ++i)
    area +=
        (best[i - 1].availability - best[i].availability) * (best[i - 1].share + best[i].share) / 2;
  return area;
}

double farthest_below(const std::vector<traded_point>& curve) {
  double out = 0;
  for (const traded_point& one : best_of(curve)) out = std::max(out, -above_line(one));
  return out;
}

std::optional<traded_point> find_knee(const std::vector<traded_point>& curve) {
  constexpr double alike = 0.02;
  double farthest = near_line;
  for (const traded_point& one : curve) farthest = std::max(farthest, above_line(one));
  std::optional<traded_point> out;
  for (const traded_point& one : curve)
    if (one.iterations > 0 && above_line(one) > near_line && above_line(one) >= farthest - alike &&
        (!out || one.iterations > out->iterations))
      out = limited(one);
  return out;
}

}  // namespace calib
