/// @file
/// A cheap monotonic clock for measurements: the processor's cycle counter where its rate is
/// constant, CLOCK_MONOTONIC otherwise. It reports its source, its resolution and its cost.
///
///     const am::clock clock;              // measures the machine: once per program, 40 ms
///     const auto start = clock.now();
///     …
///     const double ns = clock.ns(clock.now() - start);
///
/// Readings of two processes on one machine may be compared, their clocks may differ in rate by a
/// few parts per million. Times of all ranks of a job, with a bound of their error, come from a
/// global_clock, which a team learns: docs/clock.md. Needs no library.
#pragma once

#include <am/detail/clock_model.hpp>

#include <time.h>

#include <algorithm>
#include <array>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace am {

/// Measures the machine when it is made: once per program, 40 ms.
class clock {
 public:
  /// Measures the rate and the cost of readings.
  clock() noexcept : counter_(has_even_counter()) {
    if (counter_) ns_per_tick_ = calibrate();
    find_cost();
  }

  /// Ticks since some moment. All that comes before the call in the program has been done.
  [[nodiscard]] std::uint64_t now() const noexcept {
#if defined(__x86_64__)
    if (counter_) [[likely]] {
      unsigned cpu;
      return __builtin_ia32_rdtscp(&cpu);  // its header has thousands of others
    }
#endif
    return monotonic_ns();
  }

  /// A difference of two readings in nanoseconds.
  [[nodiscard]] double ns(std::uint64_t ticks) const noexcept {
    return static_cast<double>(ticks) * ns_per_tick_;
  }

  /// "tsc" or "CLOCK_MONOTONIC".
  [[nodiscard]] const char* source() const noexcept { return counter_ ? "tsc" : "CLOCK_MONOTONIC"; }
  /// The smallest difference other than 0 between two readings in a row.
  [[nodiscard]] double resolution_ns() const noexcept { return resolution_ns_; }
  /// The time of one reading.
  [[nodiscard]] double cost_ns() const noexcept { return cost_ns_; }

 private:
  static std::uint64_t monotonic_ns() noexcept {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(t.tv_nsec);
  }

  // Invariant: same rate in every power state; and rdtscp, which waits for the code before it.
  static bool has_even_counter() noexcept {
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    const bool invariant = __get_cpuid(0x80000007U, &a, &b, &c, &d) != 0 && (d >> 8 & 1U) != 0;
    const bool rdtscp = __get_cpuid(0x80000001U, &a, &b, &c, &d) != 0 && (d >> 27 & 1U) != 0;
    return invariant && rdtscp;
#else
    return false;
#endif
  }

  struct pair_of_readings {
    std::uint64_t ticks;
    std::uint64_t ns;
    std::uint64_t width;  // ticks that passed around the reading of ns
  };

  // Reads both clocks at one moment: returns the least disturbed of several tries.
  [[nodiscard]] pair_of_readings both() const noexcept {
    pair_of_readings best{0, 0, ~std::uint64_t{0}};
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t before = now();
      const std::uint64_t ns = monotonic_ns();
      const std::uint64_t width = now() - before;
      if (width < best.width) best = {before + width / 2, ns, width};
    }
    return best;
  }

  [[nodiscard]] double calibrate() const noexcept {
    const pair_of_readings first = both();
    timespec rest{0, 40'000'000};
    while (nanosleep(&rest, &rest) != 0) {
    }
    const pair_of_readings second = both();
    return static_cast<double>(second.ns - first.ns) /
           static_cast<double>(second.ticks - first.ticks);
  }

  void find_cost() noexcept {
    constexpr int readings = 1000;
    std::uint64_t finest = ~std::uint64_t{0};
    std::array<double, 9> costs{};
    for (double& cost : costs) {
      const std::uint64_t start = now();
      std::uint64_t last = start;
      for (int i = 0; i < readings; ++i) {
        const std::uint64_t next = now();
        if (next != last) finest = std::min(finest, next - last);
        last = next;
      }
      cost = ns(last - start) / readings;
    }
    std::sort(costs.begin(), costs.end());
    cost_ns_ = costs[costs.size() / 2];
    resolution_ns_ = ns(finest);
  }

  bool counter_;
  double ns_per_tick_ = 1;
  double resolution_ns_ = 0;
  double cost_ns_ = 0;
};

namespace detail {

/// How a rank counts its clock's readings as nanoseconds. Ranks with one clock have one scale.
struct clock_scale {
  std::uint64_t origin = 0;
  double ns_per_tick = 1;

  [[nodiscard]] double ns_at(std::uint64_t reading) const noexcept {
    return static_cast<double>(static_cast<std::int64_t>(reading - origin)) * ns_per_tick;
  }
};

template <class Source>
class clock_sync;

}  // namespace detail

/// One time for all ranks of a team, in nanoseconds since one moment: that of its rank 0, as far as
/// this rank knows it. A value, which any thread may copy, and read while no other one changes it;
/// team.global_clock() makes it, team.refresh() makes it better. Source is am::clock, except in
/// tests.
template <class Source>
class basic_global_clock {
 public:
  /// The global time now.
  [[nodiscard]] double now() const noexcept { return at(source_.now()); }
  /// The global time of a reading of the rank's am::clock, also of one before this clock was made.
  [[nodiscard]] double at(std::uint64_t reading) const noexcept {
    return line_.at(local_ns(reading));
  }
  /// The two steps of it, for programs that convert readings later and elsewhere: the nanoseconds
  /// of this rank's clock since this clock was made,
  [[nodiscard]] double local_ns(std::uint64_t reading) const noexcept {
    return scale_.ns_at(reading);
  }
  /// and the line that leads from them to the global time.
  [[nodiscard]] const clock_line& line() const noexcept { return line_; }

  /// By how much now() is wrong at most. It grows until the next refresh, and is infinite before a
  /// time at which a clock was found to have been set.
  [[nodiscard]] double bound_ns() const noexcept { return bound_ns(source_.now()); }
  /// The same of at(reading).
  [[nodiscard]] double bound_ns(std::uint64_t reading) const noexcept {
    return model_.offset_at(local_ns(reading)).half() + reading_ns();
  }

  /// Whether one counter served all ranks of the team when they learnt, and none of what this rank
  /// has found since denies it: then the bound does not grow.
  [[nodiscard]] bool is_one() const noexcept { return is_one_; }
  /// How often a refresh has found that a clock had been set, or had stood still: what this clock
  /// has said between that and the refresh before was wrong.
  [[nodiscard]] unsigned steps() const noexcept { return model_.steps(); }
  /// The drift of this rank's clock against that of rank 0.
  [[nodiscard]] double drift() const noexcept { return line_.slope; }
  /// How far the drift may be from that.
  [[nodiscard]] double drift_bound() const noexcept { return model_.drift().half(); }

 private:
  friend class detail::clock_sync<Source>;

  basic_global_clock(const Source& source, const detail::clock_scale& scale, std::uint32_t team,
                     std::uint16_t learnt_before)
      : source_(source), scale_(scale), team_(team), learnt_before_(learnt_before) {}

  void set_model(const detail::clock_model& model) noexcept {
    model_ = model;
    line_ = model.line();
  }

  // A moment lies somewhere in its reading, which shows whole ticks.
  [[nodiscard]] double reading_ns() const noexcept {
    return source_.cost_ns() + source_.resolution_ns();
  }

  Source source_;
  detail::clock_scale scale_;
  detail::clock_model model_{};
  clock_line line_{};
  std::uint32_t team_;
  std::uint16_t learnt_before_;
  bool is_one_ = false;
};

/// That of am::clock.
using global_clock = basic_global_clock<clock>;

}  // namespace am
