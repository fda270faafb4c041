// The ticks of a trace: the processor's counter where its rate is constant, otherwise nanoseconds.
// The rate is not measured here: the trace has moments of both clocks.
#pragma once

#include <libam/trace/record.hpp>

#include <ctime>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace am::detail::trace {

class clock {
 public:
  clock() noexcept : has_counter_(has_even_counter()) {}

  [[nodiscard]] bool has_counter() const noexcept { return has_counter_; }

  // Does not wait for the code before it.
  [[nodiscard]] std::uint64_t now() const noexcept {
#if defined(__x86_64__)
    if (has_counter_) [[likely]]
      return __rdtsc();
#endif
    return ns_of(CLOCK_MONOTONIC);
  }
  // The same between the code before and the code behind it.
  [[nodiscard]] std::uint64_t ordered_now() const noexcept {
#if defined(__x86_64__)
    _mm_lfence();
    const std::uint64_t ticks = now();
    _mm_lfence();
    return ticks;
#else
    return now();
#endif
  }
  // The least disturbed of some readings of both clocks.
  [[nodiscard]] moment both() const noexcept {
    constexpr int tries = 5;
    moment best{};
    std::uint64_t least = ~std::uint64_t{0};
    for (int i = 0; i < tries; ++i) {
      const std::uint64_t before = now();
      const std::uint64_t ns = ns_of(CLOCK_MONOTONIC);
      const std::uint64_t width = now() - before;
      if (width >= least) continue;
      least = width;
      best = {before + width / 2, ns};
    }
    return best;
  }
  [[nodiscard]] static std::uint64_t ns_of(clockid_t which) noexcept {
    timespec at{};
    ::clock_gettime(which, &at);
    return static_cast<std::uint64_t>(at.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(at.tv_nsec);
  }

 private:
  // Its rate is the same in every power state.
  static bool has_even_counter() noexcept {
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(0x80000007U, &a, &b, &c, &d) != 0 && (d >> 8 & 1U) != 0;
#else
    return false;
#endif
  }

  bool has_counter_;
};

}  // namespace am::detail::trace
