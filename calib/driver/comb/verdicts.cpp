// What the curves of COMB show, in words.
#include <calib/driver/comb/comb_result.hpp>

#include <calib/driver/output/grid.hpp>
#include <calib/format.hpp>

namespace calib {
namespace {

// Parts of the wait: up to `little` is none of it, from `nearly_all` on it is all.
constexpr double little = 0.1;
constexpr double nearly_all = 0.9;
// A part of the work: up to this its phase has no overhead that is worth a word.
constexpr double small_overhead = 0.02;

// What is said where the interval lies on both sides of a limit, or where there is none.
std::string not_known(const char* what, const estimate& part) {
  const std::string ends = part.interval ? format("{:.0f} .. {:.0f} %", 100 * part.interval->low,
                                                  100 * part.interval->high)
                                         : "too few rounds for an interval";
  return format("{} is not known well enough: {:.0f} % ({})", what, 100 * part.median, ends);
}

std::string offload_words(const pww_curve& of) {
  if (!of.hidden || !of.behind)
    return "offload is not known: no work is 1 to 3 times as long as the wait without work";
  if (!of.hidden->interval) return not_known("offload", *of.hidden);
  const auto [low, high] = *of.hidden->interval;
  if (high < -little)
    return format("no offload: the wait grows from {} us to {} us", number(of.alone.median / 1000),
                  number(of.behind->median / 1000));
  if (low >= -little && high <= little) return "no offload: the wait does not depend on the work";
  if (low <= little) return not_known("offload", *of.hidden);
  const std::string slope = of.slope ? format(" (slope {:.2f})", of.slope->median) : "";
  return format("{}offload: {:.0f} % of the wait vanishes{}", low >= nearly_all ? "" : "part ",
                100 * of.hidden->median, slope);
}

std::string overhead_words(const pww_curve& of) {
  const pww_point& at = of.points[of.loaded];
  const estimate& part = at.overhead_part;
  if (part.interval && part.interval->high <= small_overhead) return "; no overhead in the work";
  if (!part.interval || part.interval->low <= small_overhead)
    return "; " + not_known("overhead", part);
  return format("; {} us of work take {} us more ({:.0f} %)", number(at.dry.median / 1000),
                number(at.overhead.median / 1000), 100 * part.median);
}

}  // namespace

std::string size_of(const comb_case& of) {
  return format("{} x {}", kilobytes(of.bytes), of.depth);
}

std::string shown_by(const polling_curve& of, double iteration_ns) {
  if (!of.knee)
    return farthest_below(of.traded) > near_line
               ? "no knee: work and messages keep each other waiting"
               : "no knee: each is had at the cost of the other";
  const double us = static_cast<double>(of.knee->iterations) * iteration_ns / 1000;
  return format("knee at {} iterations ({} us): {:.0f} % of the peak, availability {:.2f}",
                of.knee->iterations, number(us), 100 * of.knee->share, of.knee->availability);
}

std::string shown_by(const pww_curve& of) { return offload_words(of) + overhead_words(of); }

std::string verdict_head(const comb_case& of) { return format("{}, {}: ", of.method, size_of(of)); }

std::string verdict_of(const polling_curve& of, double iteration_ns) {
  return verdict_head(of.of) + shown_by(of, iteration_ns);
}

std::string verdict_of(const pww_curve& of) { return verdict_head(of.of) + shown_by(of); }

}  // namespace calib
