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

std::string head_of(const comb_case& of) { return format("{}, {}: ", of.method, size_of(of)); }

std::string offload_words(const pww_curve& of) {
  const double part = of.hidden.median;
  const double at_most = of.hidden.interval ? of.hidden.interval->high : part;
  if (at_most < -little) return format("no offload: the wait grows by {:.0f} %", -100 * part);
  if (part <= little) return "no offload: the wait does not depend on the work";
  return format("{}offload: {:.0f} % of the wait vanishes (slope {:.2f})",
                part >= nearly_all ? "" : "part ", 100 * part, of.slope.median);
}

std::string overhead_words(const pww_curve& of) {
  const pww_point& at = of.points[of.loaded];
  if (certain(at.overhead_part) <= small_overhead) return "; no overhead in the work";
  return format("; {} us of work take {} us more ({:.0f} %)", number(at.dry.median / 1000),
                number(at.overhead.median / 1000), 100 * at.overhead_part.median);
}

}  // namespace

std::string size_of(const comb_case& of) {
  return format("{} x {}", kilobytes(of.bytes), of.depth);
}

std::string verdict_of(const polling_curve& of, double iteration_ns) {
  if (!of.knee) return head_of(of.of) + "no knee: each is had at the cost of the other";
  const double us = static_cast<double>(of.knee->iterations) * iteration_ns / 1000;
  return format("{}knee at {} iterations ({} us): {:.0f} % of the peak, availability {:.2f}",
                head_of(of.of), of.knee->iterations, number(us), 100 * of.knee->share,
                of.knee->availability);
}

std::string verdict_of(const pww_curve& of) {
  return head_of(of.of) + offload_words(of) + overhead_words(of);
}

}  // namespace calib
