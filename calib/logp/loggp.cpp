#include <calib/logp/loggp.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace calib::logp {
namespace {

constexpr double tolerance = 0.1;

// Least squares of (g0 + n G) / ns - 1.
gap_segment fit_segment(std::span<const sized_gap> points) {
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
  gap_segment out{points.front().bytes, points.back().bytes, points.front().ns, 0};
  if (points.size() < 2 || det <= 0) return out;
  out.g0 = (t1 * snn - tn * s1n) / det;
  out.G = (s11 * tn - s1n * t1) / det;
  return out;
}

double gap_on(const gap_segment& segment, double bytes) { return segment.g0 + bytes * segment.G; }

double worst_error(const gap_segment& fitted, std::span<const sized_gap> points) {
  double out = 0;
  for (const sized_gap& p : points)
    out = std::max(out, std::abs(gap_on(fitted, p.bytes) / p.ns - 1));
  return out;
}

}  // namespace

// From the largest size down, each segment as long as possible: the G of the last segment is the
// asymptotic cost of a byte.
std::vector<gap_segment> fit_segments(std::span<const sized_gap> all) {
  std::vector<sized_gap> positive;
  std::ranges::copy_if(all, std::back_inserter(positive),
                       [](const sized_gap& p) { return p.ns > 0; });
  const std::span<const sized_gap> points = positive;
  std::vector<gap_segment> out;
  for (std::size_t end = points.size(); end > 0;) {
    std::size_t begin = end - 1;
    for (std::size_t i = 0; i < end; ++i) {
      const auto part = points.subspan(i, end - i);
      if (part.size() <= 2 || worst_error(fit_segment(part), part) <= tolerance) {
        begin = i;
        break;
      }
    }
    out.push_back(fit_segment(points.subspan(begin, end - begin)));
    end = begin;
  }
  std::ranges::reverse(out);
  return out;
}

double gap_at(std::span<const gap_segment> segments, double bytes) {
  const auto after =
      std::ranges::find_if(segments, [&](const gap_segment& s) { return s.to >= bytes; });
  if (after == segments.end()) return gap_on(segments.back(), bytes);
  if (after->from <= bytes || after == segments.begin()) return gap_on(*after, bytes);
  const gap_segment& before = *(after - 1);
  const double fraction = (bytes - before.to) / (after->from - before.to);
  return (1 - fraction) * gap_on(before, before.to) + fraction * gap_on(*after, after->from);
}

double overlap_of(double one_way, double other_way, double pair) {
  return (one_way + other_way - pair) / std::min(one_way, other_way);
}

std::optional<double> predict(std::span<const planned_piece> pieces, double overlap) {
  double in_turn = 0;
  // When the last piece has gone and when the last has come, if the directions share nothing.
  double gone = 0;
  double come = 0;
  for (const planned_piece& one : pieces) {
    if (one.cost->segments.empty()) return std::nullopt;
    const double ns = gap_at(one.cost->segments, one.bytes);
    in_turn += ns;
    if (one.comes)
      come = std::max(gone, come) + ns;
    else
      gone += ns;
  }
  const double saved = in_turn - std::max(gone, come);
  return in_turn - overlap * saved + (pieces.empty() ? 0 : pieces.back().cost->completion);
}

}  // namespace calib::logp
