#include <calib/logp/line.hpp>
#include <calib/logp/startup.hpp>

namespace calib::logp {

std::optional<startup> startup_of(std::span<const sized_gap> times) {
  const std::optional<line> through = least_squares(times);
  if (!through || through->per_byte <= 0) return std::nullopt;
  return startup{through->ns, 1 / through->per_byte};
}

}  // namespace calib::logp
