// How far a rank's clock is from the global one, and how sure that is: windows that hold its offset
// for certain, and how they widen with time. Arithmetic alone; all times are nanoseconds.
//
// The offset of a clock is what it shows less the global time of that moment; its drift is by how
// much the offset grows in each nanosecond that the clock shows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace am {

/// A clock as a straight line: it shows t at global time t - (slope * t + intercept).
struct clock_line {
  double slope = 0;      ///< its drift
  double intercept = 0;  ///< its offset where it shows 0

  /// The global time where the clock shows t.
  [[nodiscard]] constexpr double at(double t) const noexcept { return t - (slope * t + intercept); }
  /// The line of this clock to the time to which `next` leads, where this one leads to the clock of
  /// `next`.
  [[nodiscard]] constexpr clock_line then(const clock_line& next) const noexcept {
    return {slope + next.slope - slope * next.slope,
            intercept + next.intercept - intercept * next.slope};
  }
};

namespace detail {

/// The assumption while a clock has been compared once: two clocks do not drift further apart,
/// which is more than those of computers do.
inline constexpr double max_clock_drift = 50e-6;
/// The assumption from then on: how far a clock's drift strays from its mean, over any time. The
/// figure that is reported of oscillators in rooms of even temperature.
inline constexpr double max_clock_wander = 0.1e-6;

/// Holds a value for certain; unbounded at first.
struct interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  [[nodiscard]] constexpr double middle() const noexcept { return low + (high - low) / 2; }
  [[nodiscard]] constexpr double half() const noexcept { return (high - low) / 2; }
  [[nodiscard]] constexpr bool holds(double value) const noexcept {
    return low <= value && value <= high;
  }
  [[nodiscard]] constexpr bool is_empty() const noexcept { return low > high; }
  [[nodiscard]] constexpr bool is_bounded() const noexcept {
    return high - low < std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] constexpr interval widened(double by) const noexcept {
    return {low - by, high + by};
  }
  [[nodiscard]] static constexpr interval around(double middle, double half) noexcept {
    return {middle - half, middle + half};
  }
};

/// What both hold.
constexpr interval common(const interval& a, const interval& b) noexcept {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

/// The offset as the pings of one measurement bound it. Each ping by itself is a hard bound, and
/// what all hold is a narrower one.
class offset_window {
 public:
  /// No drift is larger than `drift`.
  explicit constexpr offset_window(double drift) noexcept : drift_(drift) {}

  /// It was `global` somewhere between two readings of the clock. A ping that contradicts the
  /// earlier ones begins anew: the clock has been set between them. One that contradicts itself
  /// says nothing: the clock has been set back while it was on its way.
  constexpr void add(double before, double after, const interval& global) noexcept {
    if (after < before) return;
    const interval ping =
        interval{before - global.high, after - global.low}.widened(drift_ * (after - before));
    const interval both = common(offset_.widened(drift_ * (after - moment_)), ping);
    offset_ = both.is_empty() ? ping : both;
    moment_ = after;
  }

  /// What has been found, for moment().
  [[nodiscard]] constexpr const interval& offset() const noexcept { return offset_; }
  /// The clock at the last ping.
  [[nodiscard]] constexpr double moment() const noexcept { return moment_; }

 private:
  double drift_;
  interval offset_{};
  double moment_ = 0;
};

/// What a rank knows of its clock.
class clock_model {
 public:
  /// Of the clock that is the global one: exact, for ever.
  constexpr clock_model() noexcept = default;
  /// Of a clock that has been compared once.
  explicit constexpr clock_model(const offset_window& window) noexcept
      : offset_(window.offset()),
        moment_(window.moment()),
        drift_(interval::around(0, max_clock_drift)),
        wander_(max_clock_wander),
        first_offset_(offset_),
        first_moment_(moment_) {}

  /// Takes a later window into account: it gives the offset anew, and with the first one the drift.
  /// If it contradicts what is known a clock has been set: all is learned anew from this window.
  constexpr void refresh(const offset_window& window) noexcept {
    const interval known = extended_to(window.moment());
    const interval drift = common(drift_, drift_since_first(window).widened(wander_));
    if (common(known, window.offset()).is_empty() || drift.is_empty()) {
      restart(window);
      return;
    }
    drift_ = drift;
    // Not what both hold: the window alone holds the offset also where the assumptions do not.
    if (window.offset().half() < known.half()) {
      offset_ = window.offset();
      moment_ = window.moment();
    }
  }

  /// A clock has been set: what was known is wrong, and nothing is known of times before.
  constexpr void restart(const offset_window& window) noexcept {
    const std::uint64_t steps = steps_ + 1;
    *this = clock_model(window);
    known_since_ = window.moment();
    steps_ = steps;
  }

  /// The offset where the clock shows t, before or after what was measured.
  [[nodiscard]] constexpr interval offset_at(double t) const noexcept {
    return t < known_since_ ? interval{} : extended_to(t);
  }
  /// The global time where it shows t.
  [[nodiscard]] constexpr interval global_at(double t) const noexcept {
    const interval offset = offset_at(t);
    return {t - offset.high, t - offset.low};
  }
  /// The middle of all this.
  [[nodiscard]] constexpr clock_line line() const noexcept {
    return {drift_.middle(), offset_.middle() - drift_.middle() * moment_};
  }
  [[nodiscard]] constexpr const interval& drift() const noexcept { return drift_; }
  /// How often a window has contradicted what was known.
  [[nodiscard]] constexpr unsigned steps() const noexcept { return static_cast<unsigned>(steps_); }

 private:
  [[nodiscard]] constexpr interval extended_to(double t) const noexcept {
    const double time = t - moment_;
    const double age = time < 0 ? -time : time;
    return interval::around(offset_.middle() + drift_.middle() * time,
                            offset_.half() + (drift_.half() + wander_) * age);
  }
  // Its mean, which the offset's change between two windows bounds.
  [[nodiscard]] constexpr interval drift_since_first(const offset_window& window) const noexcept {
    const double time = window.moment() - first_moment_;
    if (time <= 0) return {};
    return {(window.offset().low - first_offset_.high) / time,
            (window.offset().high - first_offset_.low) / time};
  }

  interval offset_{0, 0};
  double moment_ = 0;  // of offset_, as the clock shows it
  interval drift_{0, 0};
  double wander_ = 0;
  interval first_offset_{0, 0};
  double first_moment_ = 0;
  double known_since_ = -std::numeric_limits<double>::infinity();
  std::uint64_t steps_ = 0;  // without padding: models travel as they are
};

}  // namespace detail
}  // namespace am
