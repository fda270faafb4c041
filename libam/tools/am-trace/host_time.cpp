#include <libam/tools/am-trace/host_time.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace am::detail::traces {
namespace {

// A clock shows whole ticks.
constexpr double resolution_ns = 1;

interval mean_drift(const offset_window& first, const offset_window& last) noexcept {
  const double time = last.moment() - first.moment();
  return {(last.offset().low - first.offset().high) / time,
          (last.offset().high - first.offset().low) / time};
}

}  // namespace

host_offset::host_offset(const std::vector<clock_ping>& pings, double rate_error)
    : drift_(interval::around(0, max_clock_drift + max_clock_wander + rate_error)) {
  for (std::size_t i = 0; i < pings.size(); ++i) {
    const clock_ping& one = pings[i];
    if (i == 0 || pings[i - 1].measurement != one.measurement) windows_.emplace_back(drift_.high);
    windows_.back().add(one.before, one.after + resolution_ns,
                        {one.there, one.there + resolution_ns});
  }
  keep_bounded_in_order();
  learn_drift();
  measurements_ = windows_.size();
  if (was_set_) return;
  drop_wide(false);
  drop_wide(true);
}

// From the first measurement to each, and from each to the last, because either may be wide. The
// mean drift of a part of the time strays from that of all, from which it strays elsewhere.
void host_offset::learn_drift() {
  const interval assumed = drift_;
  for (std::size_t i = 1; i < windows_.size(); ++i)
    if (common(mean_drift(windows_[i - 1], windows_[i]), assumed).is_empty()) was_set_ = true;
  if (windows_.size() < 2 || was_set_) return;
  const offset_window &first = windows_.front(), &last = windows_.back();
  drift_ = common(assumed, mean_drift(first, last).widened(max_clock_wander));
  for (std::size_t i = 1; i + 1 < windows_.size(); ++i)
    for (const interval& part : {mean_drift(first, windows_[i]), mean_drift(windows_[i], last)})
      drift_ = common(drift_, part.widened(2 * max_clock_wander));
  was_set_ = drift_.is_empty();
}

// Those whose bounds are wider than what the one that is kept before them implies.
void host_offset::drop_wide(bool backward) {
  std::vector<offset_window> kept;
  if (backward) std::ranges::reverse(windows_);
  for (const offset_window& one : windows_)
    if (kept.empty() || one.offset().half() < extended(kept.back(), one.moment()).half())
      kept.push_back(one);
  if (backward) std::ranges::reverse(kept);
  windows_ = std::move(kept);
}

// In a file that is not damaged all are.
void host_offset::keep_bounded_in_order() {
  std::vector<offset_window> good;
  for (const offset_window& one : windows_)
    if (one.offset().is_bounded() && (good.empty() || good.back().moment() < one.moment()))
      good.push_back(one);
  windows_ = std::move(good);
}

interval host_offset::extended(const offset_window& from, double t) const noexcept {
  const double time = t - from.moment();
  const double age = time < 0 ? -time : time;
  return interval::around(from.offset().middle() + drift_.middle() * time,
                          from.offset().half() + drift_.half() * age);
}

// Between two measurements the drift strays from its mean by no more than its wander, seen from
// either of them.
interval host_offset::at(double t) const noexcept {
  if (windows_.empty()) return {0, 0};
  const auto after = std::ranges::partition_point(
      windows_, [&](const offset_window& one) { return one.moment() < t; });
  if (after == windows_.begin()) return extended(windows_.front(), t);
  if (after == windows_.end()) return extended(windows_.back(), t);
  const offset_window &a = *(after - 1), &b = *after;
  const double to_a = t - a.moment(), to_b = b.moment() - t;
  const double share = to_a / (to_a + to_b);
  const auto between = [&](double from, double to) { return from + share * (to - from); };
  return interval{between(a.offset().low, b.offset().low),
                  between(a.offset().high, b.offset().high)}
      .widened(max_clock_wander * std::min(to_a, to_b));
}

double host_offset::bound(double t) const noexcept {
  return was_set_ ? std::numeric_limits<double>::infinity() : at(t).half();
}

double host_offset::widest(double from, double to) const noexcept {
  double out = std::max(bound(from), bound(to));
  for (const offset_window& one : windows_) out = std::max(out, bound(one.moment()));
  for (std::size_t i = 1; i < windows_.size(); ++i)
    out = std::max(out, bound((windows_[i - 1].moment() + windows_[i].moment()) / 2));
  return out;
}

double host_time::rate_error() const noexcept {
  constexpr double reading_ns = 500;
  return known_ns_ > 0 ? 2 * reading_ns / known_ns_ : 0;
}

void host_time::compare(const std::vector<clock_ping>& pings, const host_time& reference) {
  offset_ = host_offset(pings, rate_error() + reference.rate_error());
  is_compared_ = true;
}

}  // namespace am::detail::traces
