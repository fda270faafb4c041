#include <calib/logp/prtt.hpp>

#include <calib/logp/linear_fit.hpp>

namespace calib::logp {

double overhead_of(const prtt_times& from, double n) {
  return (from.spaced - from.one) / (n - 1) - from.delay;
}

sized_gap gap_of(const prtt_times& from, double n) {
  return {from.bytes, (from.together - from.one) / (n - 1)};
}

std::optional<gap_fit> fit_gaps(std::span<const sized_gap> gaps) {
  const std::optional<linear_fit> through = least_squares(gaps);
  if (!through) return std::nullopt;
  return gap_fit{through->ns + through->per_byte, through->per_byte};  // g is the gap at s = 1
}

}  // namespace calib::logp
