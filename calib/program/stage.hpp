// What probes of LogP need of the processor: a clock, and computation of a known length between two
// messages. In tests a simulated processor stands in its place.
#pragma once

#include <am/clock.hpp>

#include <cstdint>

namespace calib {

class stage {
 public:
  stage();

  [[nodiscard]] std::uint64_t now() const noexcept { return clock_.now(); }
  [[nodiscard]] double ns(std::uint64_t ticks) const noexcept { return clock_.ns(ticks); }
  [[nodiscard]] double cost_ns() const noexcept { return clock_.cost_ns(); }

  // So many steps of computation take about so long; what they take is to be measured.
  [[nodiscard]] std::uint64_t steps_for(double ns) const noexcept {
    return static_cast<std::uint64_t>(ns / ns_per_step_);
  }

  // Each step needs the one before. What a processor can do beside that, as beside a program's own
  // computation, is no overhead. The same instructions for all who call: in a loop as small as this
  // the place in memory counts, too.
  void compute(std::uint64_t steps) const noexcept;

 private:
  am::clock clock_;
  double ns_per_step_ = 1;
};

}  // namespace calib
