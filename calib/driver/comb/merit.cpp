#include <calib/driver/comb/merit.hpp>

#include <algorithm>

namespace calib {
namespace {

traded_point limited(const traded_point& one) {
  return {one.iterations, std::clamp(one.availability, 0.0, 1.0), std::clamp(one.share, 0.0, 1.0)};
}

double above_line(const traded_point& one) {
  const traded_point at = limited(one);
  return at.availability + at.share - 1;
}

}  // namespace

double figure_of_merit(const std::vector<traded_point>& curve) {
  std::vector<traded_point> points = {{0, 1, 0}};
  for (const traded_point& one : curve) points.push_back(limited(one));
  std::ranges::sort(points, [](const traded_point& a, const traded_point& b) {
    return a.availability != b.availability ? a.availability > b.availability : a.share < b.share;
  });
  // From the right: a point counts if its share is above those of all with more availability.
  double area = 0;
  traded_point last = points.front();
  const auto add_up_to = [&](const traded_point& next) {
    area += (last.availability - next.availability) * (last.share + next.share) / 2;
    last = next;
  };
  for (const traded_point& one : points)
    if (one.share > last.share) add_up_to(one);
  add_up_to({0, 0, 1});
  return area;
}

std::optional<traded_point> find_knee(const std::vector<traded_point>& curve) {
  constexpr double least = 0.1;
  constexpr double alike = 0.02;
  double farthest = least;
  for (const traded_point& one : curve) farthest = std::max(farthest, above_line(one));
  std::optional<traded_point> out;
  for (const traded_point& one : curve)
    if (one.iterations > 0 && above_line(one) > least && above_line(one) >= farthest - alike &&
        (!out || one.iterations > out->iterations))
      out = limited(one);
  return out;
}

double share_at(const std::vector<traded_point>& curve, double availability) {
  double out = 0;
  for (const traded_point& one : curve)
    if (one.availability >= availability) out = std::max(out, limited(one).share);
  return out;
}

}  // namespace calib
