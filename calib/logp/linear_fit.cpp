#include <calib/logp/linear_fit.hpp>

namespace calib::logp {

std::optional<linear_fit> least_squares(std::span<const sized_gap> points) {
  const auto count = static_cast<double>(points.size());
  double bytes = 0;
  double ns = 0;
  for (const sized_gap& p : points) {
    bytes += p.bytes / count;
    ns += p.ns / count;
  }
  double variance = 0;
  double covariance = 0;
  for (const sized_gap& p : points) {
    variance += (p.bytes - bytes) * (p.bytes - bytes);
    covariance += (p.bytes - bytes) * (p.ns - ns);
  }
  if (variance <= 0) return std::nullopt;
  return linear_fit{ns - covariance / variance * bytes, covariance / variance};
}

std::optional<startup> startup_of(std::span<const sized_gap> times) {
  const std::optional<linear_fit> through = least_squares(times);
  if (!through || through->per_byte <= 0) return std::nullopt;
  return startup{through->ns, 1 / through->per_byte};
}

}  // namespace calib::logp
