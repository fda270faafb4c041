#include <calib/driver/measure/line_conditions.hpp>

#include <calib/format.hpp>
#include <calib/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace calib {
namespace {

// On the logarithmic scale. In one place of the CPUs the time of a line varies by some per cent;
// places differ by 20 % and more.
constexpr double line_step = 0.01;  // of the histogram
constexpr int reach = 8;            // steps: places that are closer are one
constexpr int widest = 15;          // steps from the middle of a group to its ends

constexpr double least_share = 0.05;      // of a condition that is worth its figures
constexpr double lasting_share = 0.25;    // of the most frequent one
constexpr std::size_t least_samples = 2;  // of a series: one alone may be the end of a condition

using histogram = std::map<int, std::vector<double>>;

int step_of(double ns) { return static_cast<int>(std::floor(std::log(ns) / line_step)); }

struct neighbourhood {
  double count = 0;
  double mean = 0;  // in steps
};
neighbourhood around(const histogram& all, double middle) {
  neighbourhood out;
  const auto end = all.upper_bound(static_cast<int>(std::floor(middle + reach)));
  for (auto at = all.lower_bound(static_cast<int>(std::ceil(middle - reach))); at != end; ++at) {
    const auto count = static_cast<double>(at->second.size());
    out.count += count;
    out.mean += count * at->first;
  }
  if (out.count > 0) out.mean /= out.count;
  return out;
}

// Mean shift: to the mean of the neighbourhood, until that is the middle of its own.
double densest_near(const histogram& all, double middle) {
  constexpr int most_shifts = 100;
  for (int i = 0; i < most_shifts; ++i) {
    const double mean = around(all, middle).mean;
    if (std::abs(mean - middle) < 0.1) break;
    middle = mean;
  }
  return middle;
}

line_condition condition_around(const histogram& all, int first, int last) {
  int densest = first;
  double most = 0;
  for (auto at = all.lower_bound(first); at != all.upper_bound(last); ++at)
    if (const double count = around(all, at->first).count; count > most) {
      densest = at->first;
      most = count;
    }
  std::vector<double> times;
  const auto end = all.upper_bound(std::min(last, densest + widest));
  for (auto at = all.lower_bound(std::max(first, densest - widest)); at != end; ++at)
    times.insert(times.end(), at->second.begin(), at->second.end());
  const auto [low, high] = std::ranges::minmax(times);
  return {median(std::move(times)), low, high};
}

// Calls take(before, after) with the times of the line at both ends of each sample.
template <class Take>
void for_each_sample(std::span<const launch> launches, Take&& take) {
  for (const launch& one : launches)
    for (const series& s : one.measured)
      for (std::size_t i = 0; i + 1 < s.lines.size(); ++i) take(s.lines[i], s.lines[i + 1]);
}

// The samples of a series in this condition, which has the times of the line.
std::vector<double> samples_in(const series& all, const line_condition& which) {
  std::vector<double> out;
  for (std::size_t i = 0; i < all.samples.size(); ++i)
    if (which.holds(all.lines[i]) && which.holds(all.lines[i + 1])) out.push_back(all.samples[i]);
  return out;
}

}  // namespace

std::vector<line_condition> group_lines(std::vector<double> times) {
  histogram all;
  for (const double ns : times)
    if (ns > 0) all[step_of(ns)].push_back(ns);
  std::vector<line_condition> out;
  int first = 0;  // steps of the group
  int last = 0;
  double densest = 0;
  bool any = false;
  for (const auto& [at, those] : all) {
    const double here = densest_near(all, at);
    if (any && here - densest > reach) out.push_back(condition_around(all, first, last));
    if (!any || here - densest > reach) first = at;
    any = true;
    densest = here;
    last = at;
  }
  if (any) out.push_back(condition_around(all, first, last));
  return out;
}

std::vector<line_condition> find_conditions(std::span<const launch> launches) {
  std::vector<double> lines;
  for_each_sample(launches, [&](double before, double) { lines.push_back(before); });
  std::vector<line_condition> out = group_lines(std::move(lines));
  double all = 0;
  for_each_sample(launches, [&](double before, double after) {
    ++all;
    for (line_condition& one : out)
      if (one.holds(before) && one.holds(after)) ++one.share;
  });
  for (line_condition& one : out) one.share /= all;
  std::erase_if(out, [](const line_condition& one) { return one.share < least_share; });
  std::ranges::sort(out, std::greater{}, &line_condition::share);
  if (!out.empty() && out.front().share < lasting_share) out.clear();
  return out;
}

launch in_condition(launch whole, const line_condition& which) {
  for (series& s : whole.measured) {
    if (s.lines.empty()) continue;
    std::vector<double> here = samples_in(s, which);
    s = here.size() < std::min(least_samples, s.samples.size())
            ? series{s.probe, s.variant, {}}
            : series_of(s.probe, s.variant, std::move(here));
  }
  std::erase_if(whole.measured, [](const series& s) { return s.samples.empty(); });
  return whole;
}

std::string text_of(const line_condition& own, std::span<const line_condition> others) {
  std::string out =
      format("line {:.0f} ns {:.0f} % of the samples (this profile)", own.line_ns, 100 * own.share);
  for (const line_condition& one : others)
    out += format(", {:.0f} ns {:.0f} %", one.line_ns, 100 * one.share);
  return out;
}

}  // namespace calib
