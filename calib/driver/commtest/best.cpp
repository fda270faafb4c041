// Which protocol is best, in sentences.
#include <calib/driver/commtest/groups.hpp>

#include <calib/driver/output/grid.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace calib {
namespace {

constexpr double equal_within = 0.05;  // of the best

std::string name_of(const commtest_row& row) {
  return format("{} {}", row.by->name, calib::name_of(row.set));
}

std::string bytes_text(std::size_t bytes) {
  return bytes < 1024 ? format("{} B", bytes) : volume_name(bytes);
}

// The packets at which its time is least.
std::string packets_text(const commtest_row& row) {
  const auto least = std::ranges::min_element(
      row.points, {}, [](const commtest_point& one) { return one.time.of_least; });
  if (least->packets == 1) return format("in one packet of {}", bytes_text(row.slice.volume));
  return format("in {} packets of {}", least->packets,
                bytes_text(row.slice.volume / least->packets));
}

// "4.05 GB/s (3.90, 3.71 .. 4.11)": beside it the median over all runs.
std::string figure_text(const commtest_figure& of, double unit, const char* name) {
  if (of.over_runs.n < 2) return format("{} {}", number(of.of_least / unit), name);
  std::string beside = number(of.over_runs.median / unit);
  if (const auto& ends = of.over_runs.interval)
    beside += format(", {} .. {}", number(ends->low / unit), number(ends->high / unit));
  return format("{} {} ({})", number(of.of_least / unit), name, beside);
}

commtest_rows ordered_or_not(const commtest_rows& of, bool ordered) {
  commtest_rows out;
  std::ranges::copy_if(of, std::back_inserter(out),
                       [&](const commtest_row* one) { return one->by->ordered == ordered; });
  return out;
}

// Of those that are nearly as good as the best, which is one of them.
std::string more_text(std::ptrdiff_t near) {
  return near > 1 ? format(", with {} more within 5 %", near - 1) : "";
}

// The one that swaps most, and how many are nearly as good.
std::string bandwidth_text(const commtest_rows& of) {
  const commtest_row& best = *most_bandwidth(of, of.front()->by->ordered);
  const auto near = std::ranges::count_if(of, [&](const commtest_row* one) {
    return one->bandwidth.of_least >= (1 - equal_within) * best.bandwidth.of_least;
  });
  return format("{} swaps most, {} {}{}", name_of(best), figure_text(best.bandwidth, 1, "GB/s"),
                packets_text(best), more_text(near));
}

// A latency is a difference of two times, and the least of many such is that of the most noise. So
// the median over the runs decides, where there are enough of them.
double latency_by_rank(const commtest_row* of) {
  const estimate& runs = of->latency.over_runs;
  return runs.n >= runs_of_least ? runs.median : of->latency.of_least;
}

// It may be 0 by its interval, or its runs: such a latency says nothing.
bool is_known(const commtest_row* of) {
  const auto& ends = of->latency.over_runs.interval;
  return latency_by_rank(of) > 0 && of->latency.of_least > 0 && (!ends || ends->low > 0);
}

std::string latency_text(const commtest_rows& of) {
  commtest_rows known;
  std::ranges::copy_if(of, std::back_inserter(known), is_known);
  if (known.empty()) return "no latency is certainly above 0";
  const commtest_row* best = *std::ranges::min_element(known, {}, latency_by_rank);
  const auto near = std::ranges::count_if(known, [&](const commtest_row* one) {
    return latency_by_rank(one) <= (1 + equal_within) * latency_by_rank(best);
  });
  return format("{} has the least latency, {}{}", name_of(*best),
                figure_text(best->latency, 1000, "us"), more_text(near));
}

std::string sentence(const commtest_rows& of) {
  const commtest_row& one = *of.front();
  std::string out = format("{}, pair {}, {}, {}: ", calib::name_of(one.layer), one.slice.pairs,
                           volume_name(one.slice.volume), calib::name_of(one.slice.mode));
  const char* before = "";
  for (const bool ordered : {false, true}) {
    const commtest_rows some = ordered_or_not(of, ordered);
    if (some.empty()) continue;
    out += format("{}of the {} ones {}; {}", before, ordered ? "ordered" : "unordered",
                  bandwidth_text(some), latency_text(some));
    before = "; ";
  }
  return out + '.';
}

}  // namespace

std::vector<std::string> best_protocols(const std::vector<commtest_row>& rows) {
  std::vector<std::string> out;
  for (const commtest_rows& same : layers_and_slices(rows)) out.push_back(sentence(same));
  return out;
}

}  // namespace calib
