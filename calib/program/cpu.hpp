// The CPU as the probes use it: hints for tight loops, pinning, a clock, and computation of a known
// length.
#pragma once

#include <am/clock.hpp>

#include <cstdint>

namespace calib {

inline void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Requests a cache line with the right to write it. In assembly, because for a plain x86-64 the
// compilers turn __builtin_prefetch(at, 1) into a prefetch for reading, which makes a flood take
// three times as long.
inline void prefetch_for_write(const void* at) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
#else
  __builtin_prefetch(at, 1);
#endif
}

// Holds the process on one CPU, rank r on the r-th CPU that it may use, and reports it. A process
// that its launcher has bound to one CPU stays there. Then the process joins the other one for the
// time of a cache line between them (line_meter.hpp).
void pin(int rank);
// The same for rank r of n on the CPU at r/n of those that it may use.
void pin_evenly(int rank, int ranks);

// What the LogP probes need of a processor. In tests a simulated processor takes its place.
class processor {
 public:
  processor();

  [[nodiscard]] std::uint64_t now() const noexcept { return clock_.now(); }
  [[nodiscard]] double ns(std::uint64_t ticks) const noexcept { return clock_.ns(ticks); }
  [[nodiscard]] double cost_ns() const noexcept { return clock_.cost_ns(); }

  // An estimate: the caller measures how long these steps take.
  [[nodiscard]] std::uint64_t steps_for(double ns) const noexcept {
    return static_cast<std::uint64_t>(ns / ns_per_step_);
  }

  // Each step depends on the previous one. Work that a processor can do beside these steps, as
  // beside the computation of a program, is no overhead. Not inline, so that all callers execute
  // the same instructions: in a loop this small even the address matters.
  [[gnu::aligned(64)]] static void compute(std::uint64_t steps) noexcept;

 private:
  am::clock clock_;
  double ns_per_step_ = 1;
};

}  // namespace calib
