// How the ticks of a host become nanoseconds of the job's one time: the host's own rate, and how
// far its clock is from that of the reference, the rank with which the first ranks of the hosts
// have compared theirs.
#pragma once

#include <libam/trace/record.hpp>

#include <am/detail/clock_model.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace am::detail::traces {

// A ping: the reference's clock showed `there` between two times of this one.
struct clock_ping {
  std::uint32_t measurement;
  double before;  // ns
  double after;
  double there;
};

// The offset of a host's clock: what it shows less what the reference shows. Each measurement
// bounds it for certain; between two the bounds are interpolated, and outside they widen with the
// drift, which two measurements bound. After one a drift is assumed, as a global clock does. A
// measurement that bounds it less than the others do by then is left out.
class host_offset {
 public:
  // Of the reference: none.
  host_offset() = default;
  // In the order of their measurements. `rate_error`: how wrong the rates of both may be.
  host_offset(const std::vector<clock_ping>& pings, double rate_error);

  // Where this clock shows t.
  [[nodiscard]] interval at(double t) const noexcept;
  // Half of the bounds there; infinite where the measurements contradict each other.
  [[nodiscard]] double bound(double t) const noexcept;
  // The largest one from one time to another.
  [[nodiscard]] double widest(double from, double to) const noexcept;
  // With those that were left out.
  [[nodiscard]] std::size_t measurements() const noexcept { return measurements_; }
  [[nodiscard]] const interval& drift() const noexcept { return drift_; }
  // The measurements contradict each other.
  [[nodiscard]] bool was_set() const noexcept { return was_set_; }

 private:
  void keep_bounded_in_order();
  void learn_drift();
  void drop_wide(bool backward);
  [[nodiscard]] interval extended(const offset_window& from, double t) const noexcept;

  std::vector<offset_window> windows_;  // of the measurements that count
  std::size_t measurements_ = 0;
  interval drift_{0, 0};
  bool was_set_ = false;
};

class host_time {
 public:
  host_time() = default;
  // Its time begins where the counter shows `origin`; the rate was learnt over `known_ns`.
  host_time(std::uint64_t origin, double ns_per_tick, double known_ns) noexcept
      : origin_(origin), ns_per_tick_(ns_per_tick), known_ns_(known_ns) {}

  // Nanoseconds of its own clock.
  [[nodiscard]] double own(std::uint64_t ticks) const noexcept {
    return static_cast<double>(static_cast<std::int64_t>(ticks - origin_)) * ns_per_tick_;
  }
  // The job's time.
  [[nodiscard]] double at(std::uint64_t ticks) const noexcept {
    const double shown = own(ticks);
    const double common = is_compared_ ? shown - offset_.at(shown).middle() : shown;
    return common - start_;
  }
  // By how much that is wrong at most.
  [[nodiscard]] double bound(std::uint64_t ticks) const noexcept {
    return is_compared_ ? offset_.bound(own(ticks)) : 0;
  }
  // The job began then.
  void set_start(double start) noexcept { start_ = start; }

  void compare(const std::vector<clock_ping>& pings, const host_time& reference);
  [[nodiscard]] const host_offset& offset() const noexcept { return offset_; }

 private:
  // A rate is learnt from two moments, in which both clocks were read within that time.
  [[nodiscard]] double rate_error() const noexcept;

  std::uint64_t origin_ = 0;
  double ns_per_tick_ = 1;
  double known_ns_ = 0;
  double start_ = 0;
  bool is_compared_ = false;
  host_offset offset_;
};

}  // namespace am::detail::traces
