#include <transports/dial/spinner.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace am::detail::dial {

namespace {

constexpr int repetitions = 64;

// The time of one call: the median of several series.
template <class Call>
double time_of(const am::clock& clock, Call&& call) {
  std::array<double, 15> series{};
  for (double& one : series) {
    const ticks start = clock.now();
    for (int i = 0; i < repetitions; ++i) (void)call();
    one = static_cast<double>(clock.now() - start) / repetitions;
  }
  std::ranges::nth_element(series, series.begin() + series.size() / 2);
  return series[series.size() / 2];
}

}  // namespace

spinner::spinner() noexcept
    : has_counter_(std::string_view(clock_.source()) == "tsc"), ticks_per_ns_(1 / clock_.ns(1)) {
  const ticks length = of_ns(1000);
  const double reading = time_of(clock_, [&] { return now(); });
  const double spin_cost =
      time_of(clock_, [&] { return spin(length); }) - static_cast<double>(length);
  cost_ = static_cast<ticks>(std::max(spin_cost, 0.0));
  cost_beside_reading_ = static_cast<ticks>(std::max(spin_cost - reading, 0.0));
}

}  // namespace am::detail::dial
