// Which protocol is best, in sentences.
#include <calib/driver/commtest/commtest_result.hpp>

#include <calib/driver/output/grid.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <iterator>

namespace calib {
namespace {

constexpr double equal_within = 0.05;  // of the best

using row_list = std::vector<const commtest_row*>;

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

row_list ordered_or_not(const row_list& of, bool ordered) {
  row_list out;
  std::ranges::copy_if(of, std::back_inserter(out),
                       [&](const commtest_row* one) { return one->by->ordered == ordered; });
  return out;
}

// The one that swaps most, and how many are nearly as good.
std::string bandwidth_text(const row_list& of, const char* kind) {
  const commtest_row& best = **std::ranges::max_element(
      of, {}, [](const commtest_row* one) { return one->bandwidth.of_least; });
  const auto near = std::ranges::count_if(of, [&](const commtest_row* one) {
    return one->bandwidth.of_least >= (1 - equal_within) * best.bandwidth.of_least;
  });
  return format("{} {} swaps most, {} {}{}", kind, name_of(best),
                figure_text(best.bandwidth, 1, "GB/s"), packets_text(best),
                near > 1 ? format(", with {} more within 5 %", near - 1) : "");
}

// Two counts that are not representative may give a latency that is not above 0.
std::string latency_text(const row_list& of) {
  row_list positive;
  std::ranges::copy_if(of, std::back_inserter(positive),
                       [](const commtest_row* one) { return one->latency.of_least > 0; });
  if (positive.empty()) return "no latency is above 0";
  const commtest_row& best = **std::ranges::min_element(
      positive, {}, [](const commtest_row* one) { return one->latency.of_least; });
  return format("{} has the least latency, {}", name_of(best),
                figure_text(best.latency, 1000, "us"));
}

std::string sentence(const row_list& of) {
  const commtest_row& one = *of.front();
  std::string out = format("{}, pair {}, {}, {}: ", calib::name_of(one.layer), one.slice.pairs,
                           volume_name(one.slice.volume), calib::name_of(one.slice.mode));
  for (const bool ordered : {false, true})
    if (const row_list some = ordered_or_not(of, ordered); !some.empty())
      out += bandwidth_text(some, ordered ? "of the ordered ones" : "of the unordered ones") + "; ";
  return out + latency_text(of) + '.';
}

}  // namespace

std::vector<std::string> best_protocols(const std::vector<commtest_row>& rows) {
  std::vector<std::string> out;
  for (auto from = rows.begin(); from != rows.end();) {
    row_list same;
    const commtest_row& first = *from;
    for (; from != rows.end() && from->layer == first.layer && from->slice == first.slice; ++from)
      same.push_back(&*from);
    out.push_back(sentence(same));
  }
  return out;
}

}  // namespace calib
