#include <calib/logp/line.hpp>

namespace calib::logp {

std::optional<line> least_squares(std::span<const sized_gap> points) {
  const auto count = static_cast<double>(points.size());
  double bytes = 0;
  double ns = 0;
  for (const sized_gap& p : points) {
    bytes += p.bytes / count;
    ns += p.ns / count;
  }
  double along = 0;
  double across = 0;
  for (const sized_gap& p : points) {
    along += (p.bytes - bytes) * (p.bytes - bytes);
    across += (p.bytes - bytes) * (p.ns - ns);
  }
  if (along <= 0) return std::nullopt;
  return line{ns - across / along * bytes, across / along};
}

}  // namespace calib::logp
