#include <calib/driver/comb/overlap.hpp>

#include <calib/statistics.hpp>

#include <utility>

namespace calib {
namespace {

double slope_of(const std::vector<pww_times>& points, double longest) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const pww_times& one : points) {
    if (one.dry > longest && n >= 2) break;
    n += 1;
    x += one.dry;
    y += one.waited();
    xx += one.dry * one.dry;
    xy += one.dry * one.waited();
  }
  const double spread = n * xx - x * x;
  return spread > 0 ? (n * xy - x * y) / spread : 0;
}

double wait_behind(const std::vector<pww_times>& points, double alone) {
  std::vector<double> behind_work;
  for (const pww_times& one : points)
    if (one.dry >= alone) behind_work.push_back(one.waited());
  if (behind_work.empty()) behind_work.push_back(points.back().waited());
  return median(std::move(behind_work));
}

}  // namespace

overlap overlap_of(const std::vector<pww_times>& points) {
  const double alone = points.front().waited();
  const double behind = wait_behind(points, alone);
  return {alone, behind, alone > 0 ? 1 - behind / alone : 0, slope_of(points, alone)};
}

}  // namespace calib
