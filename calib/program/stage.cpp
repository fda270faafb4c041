#include <calib/program/stage.hpp>

#include <algorithm>

namespace calib {

// The fastest of some: whatever disturbs makes it longer.
stage::stage() {
  constexpr std::uint64_t trial = 20'000;
  constexpr int tries = 20;
  ns_per_step_ = 1e9;
  for (int i = 0; i < tries; ++i) {
    const std::uint64_t start = now();
    compute(trial);
    ns_per_step_ = std::min(ns_per_step_, ns(now() - start) / trial);
  }
}

void stage::compute(std::uint64_t steps) const noexcept {
  for (; steps > 0; --steps) asm volatile("" : "+r"(steps));
}

}  // namespace calib
