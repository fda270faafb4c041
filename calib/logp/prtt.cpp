#include <calib/logp/line.hpp>
#include <calib/logp/prtt.hpp>

namespace calib::logp {

double overhead_of(const train& from, double n) {
  return (from.spaced - from.one) / (n - 1) - from.delay;
}

sized_gap gap_of(const train& from, double n) {
  return {from.bytes, (from.together - from.one) / (n - 1)};
}

std::optional<gap_line> gap_line_of(std::span<const sized_gap> gaps) {
  const std::optional<line> through = least_squares(gaps);
  if (!through) return std::nullopt;
  return gap_line{through->ns + through->per_byte, through->per_byte};  // s - 1 bytes cost G
}

}  // namespace calib::logp
