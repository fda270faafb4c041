#include <calib/logp/predict.hpp>

#include <algorithm>

namespace calib::logp {
namespace {

double on(const segment& line, double bytes) { return line.g0 + bytes * line.G; }

}  // namespace

double gap_at(std::span<const segment> lines, double bytes) {
  const auto after = std::ranges::find_if(lines, [&](const segment& s) { return s.to >= bytes; });
  if (after == lines.end()) return on(lines.back(), bytes);
  if (after->from <= bytes || after == lines.begin()) return on(*after, bytes);
  const segment& before = *(after - 1);
  const double way = (bytes - before.to) / (after->from - before.to);
  return (1 - way) * on(before, before.to) + way * on(*after, after->from);
}

std::optional<double> predict(std::span<const priced> pieces) {
  double ns = 0;
  for (const priced& one : pieces) {
    if (one.by->lines.empty()) return std::nullopt;
    ns += gap_at(one.by->lines, one.bytes);
  }
  if (!pieces.empty()) ns += pieces.back().by->tail;
  return ns;
}

}  // namespace calib::logp
