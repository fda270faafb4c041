#include <calib/logp/loggp.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace calib::logp {
namespace {

constexpr double close = 0.1;

// Least squares of (g0 + n G) / ns - 1.
segment line_through(std::span<const sized_gap> points) {
  double s11 = 0, s1n = 0, snn = 0, t1 = 0, tn = 0;
  for (const sized_gap& p : points) {
    const double w = 1 / p.ns;
    const double n = p.bytes * w;
    s11 += w * w;
    s1n += w * n;
    snn += n * n;
    t1 += w;
    tn += n;
  }
  const double det = s11 * snn - s1n * s1n;
  segment out{points.front().bytes, points.back().bytes, points.front().ns, 0};
  if (points.size() < 2 || det <= 0) return out;
  out.g0 = (t1 * snn - tn * s1n) / det;
  out.G = (s11 * tn - s1n * t1) / det;
  return out;
}

double worst(const segment& line, std::span<const sized_gap> points) {
  double out = 0;
  for (const sized_gap& p : points)
    out = std::max(out, std::abs((line.g0 + p.bytes * line.G) / p.ns - 1));
  return out;
}

}  // namespace

// From the largest size down, because that segment's G is what a byte costs at last: each as long
// as it can be.
std::vector<segment> fit(std::span<const sized_gap> all) {
  std::vector<sized_gap> some_time;
  std::ranges::copy_if(all, std::back_inserter(some_time),
                       [](const sized_gap& p) { return p.ns > 0; });
  const std::span<const sized_gap> points = some_time;
  std::vector<segment> out;
  for (std::size_t end = points.size(); end > 0;) {
    std::size_t begin = end - 1;
    for (std::size_t i = 0; i < end; ++i) {
      const auto some = points.subspan(i, end - i);
      if (some.size() <= 2 || worst(line_through(some), some) <= close) {
        begin = i;
        break;
      }
    }
    out.push_back(line_through(points.subspan(begin, end - begin)));
    end = begin;
  }
  std::ranges::reverse(out);
  return out;
}

}  // namespace calib::logp
