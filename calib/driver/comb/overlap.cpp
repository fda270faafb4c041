#include <calib/driver/comb/overlap.hpp>

#include <calib/statistics.hpp>

#include <utility>

namespace calib {
namespace {

constexpr double longest_work = 3.5;  // of the wait without work

std::optional<double> slope_of(const std::vector<pww_times>& points, double alone) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const pww_times& one : points) {
    if (one.work > 0 && one.dry >= alone) break;
    n += 1;
    x += one.dry;
    y += one.waited();
    xx += one.dry * one.dry;
    xy += one.dry * one.waited();
  }
  const double spread = n * xx - x * x;
  if (n < 3 || spread <= 0) return std::nullopt;
  return (n * xy - x * y) / spread;
}

std::optional<double> wait_behind(const std::vector<pww_times>& points, double alone,
                                  double part_after_call) {
  std::vector<double> behind_work;
  for (const pww_times& one : points) {
    const double work = one.dry * part_after_call;
    if (one.work > 0 && work >= alone && work <= longest_work * alone)
      behind_work.push_back(one.waited());
  }
  if (behind_work.empty()) return std::nullopt;
  return median(std::move(behind_work));
}

}  // namespace

overlap overlap_of(const std::vector<pww_times>& points, double part_after_call) {
  overlap out;
  out.alone = points.front().waited();
  if (out.alone <= 0) return out;
  out.behind = wait_behind(points, out.alone, part_after_call);
  if (out.behind) out.hidden = 1 - *out.behind / out.alone;
  out.slope = slope_of(points, out.alone);
  return out;
}

}  // namespace calib
