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

// A core that is shared has computed at 0.5 to 0.7 of its pace. Usual is what the fastest twentieth
// of the computations take at most: interrupts and other programs only make them longer.
constexpr double slow_from = 1.25;
constexpr double fastest_part = 0.05;

constexpr double least_share = 0.05;    // of a condition that is worth its figures
constexpr double lasting_share = 0.15;  // of one that may stand for a profile
// Of a series with more samples than one: one of many may be the end of a condition.
constexpr std::size_t least_samples = 2;

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

// Calls take(series, i) with each sample that has the time of the line at both ends, i and i + 1.
template <class Take>
void for_each_sample(std::span<const launch> launches, Take&& take) {
  for (const launch& one : launches)
    for (const series& s : one.measured)
      for (std::size_t i = 0; i + 1 < s.lines.size(); ++i) take(s, i);
}

// At one end of a sample. A rank of whose pace nothing is known is not slow.
bool has_slow_ranks(const series& s, std::size_t end, const line_condition& which) {
  for (unsigned rank = 0; rank < which.usual_paces.size(); ++rank) {
    const bool is_slow =
        !s.paces.empty() && s.paces[end][rank] > slow_from * which.usual_paces[rank];
    if (is_slow != (std::ranges::count(which.slow_ranks, rank) > 0)) return false;
  }
  return true;
}

bool is_in(const series& s, std::size_t sample, const line_condition& which) {
  const auto holds = [&](std::size_t end) {
    return which.holds(s.lines[end]) && has_slow_ranks(s, end, which);
  };
  return holds(sample) && holds(sample + 1);
}

// The samples of a series in this condition, which has the times of the line.
std::vector<double> samples_in(const series& all, const line_condition& which) {
  std::vector<double> out;
  for (std::size_t i = 0; i < all.samples.size(); ++i)
    if (is_in(all, i, which)) out.push_back(all.samples[i]);
  return out;
}

// None: there is a rank of whose pace nothing is known.
std::vector<double> find_usual_paces(std::span<const launch> launches) {
  std::array<std::vector<double>, 2> all;
  for (const launch& one : launches)
    for (const series& s : one.measured)
      for (const auto& paces : s.paces)
        for (std::size_t rank = 0; rank < all.size(); ++rank)
          if (paces[rank] > 0) all[rank].push_back(paces[rank]);
  std::vector<double> out;
  for (std::vector<double>& of_rank : all) {
    if (of_rank.empty()) return {};
    const auto count = static_cast<std::size_t>(fastest_part * static_cast<double>(of_rank.size()));
    const auto at = of_rank.begin() + static_cast<std::ptrdiff_t>(count);
    std::ranges::nth_element(of_rank, at);
    out.push_back(*at);
  }
  return out;
}

// Each group with every choice of slow ranks.
std::vector<line_condition> with_slow_ranks(const std::vector<line_condition>& groups,
                                            const std::vector<double>& usual_paces) {
  if (usual_paces.empty()) return groups;
  std::vector<line_condition> out;
  for (line_condition one : groups)
    for (const std::vector<unsigned>& slow :
         {std::vector<unsigned>{}, std::vector{0U}, std::vector{1U}, std::vector{0U, 1U}}) {
      one.slow_ranks = slow;
      one.usual_paces = usual_paces;
      out.push_back(one);
    }
  return out;
}

// Sets the shares, and the median times of the line.
void count_samples(std::span<const launch> launches, std::vector<line_condition>& of) {
  double all = 0;
  for_each_sample(launches, [&](const series&, std::size_t) { ++all; });
  for (line_condition& one : of) {
    std::vector<double> lines;
    for_each_sample(launches, [&](const series& s, std::size_t i) {
      if (is_in(s, i, one)) lines.push_back(s.lines[i]);
    });
    one.share = static_cast<double>(lines.size()) / all;
    if (!lines.empty()) one.line_ns = median(std::move(lines));
  }
}

bool have_one_line(const line_condition& one, const line_condition& other) {
  return one.low == other.low;
}

// A profile tells what messages cost where the CPUs are most of the time, without the disturbance
// of others if that lasts. `all`: the most frequent one first.
std::vector<line_condition>::iterator find_first(std::vector<line_condition>& all) {
  const auto share_of_line = [&](const line_condition& of) {
    double sum = 0;
    for (const line_condition& one : all)
      if (have_one_line(one, of)) sum += one.share;
    return sum;
  };
  auto found = all.end();
  for (auto one = all.begin(); one != all.end() && one->share >= lasting_share; ++one) {
    if (found == all.end() || share_of_line(*one) > share_of_line(*found)) found = one;
    if (have_one_line(*one, *found) && one->slow_ranks.empty()) found = one;
  }
  return found;
}

}  // namespace

bool line_condition::agrees_with(const line_condition& other) const {
  const bool have_a_line = holds(other.line_ns) || other.holds(line_ns);
  if (!have_a_line || slow_ranks != other.slow_ranks) return false;
  return std::ranges::equal(usual_paces, other.usual_paces, [](double one, double another) {
    return std::max(one, another) <= slow_from * std::min(one, another);
  });
}

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
  for_each_sample(launches, [&](const series& s, std::size_t i) { lines.push_back(s.lines[i]); });
  std::vector<line_condition> out =
      with_slow_ranks(group_lines(std::move(lines)), find_usual_paces(launches));
  count_samples(launches, out);
  std::erase_if(out, [](const line_condition& one) { return one.share < least_share; });
  std::ranges::sort(out, std::greater{}, &line_condition::share);
  const auto first = find_first(out);
  if (first == out.end()) return {};
  std::rotate(out.begin(), first, first + 1);
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

std::string place_of(const line_condition& one) {
  const std::string line = format("{:.0f} ns", one.line_ns);
  if (one.slow_ranks.empty()) return line;
  if (one.slow_ranks.size() == 2) return line + " with both ranks slow";
  return line + format(" with rank {} slow", one.slow_ranks.front());
}

std::string text_of(const line_condition& own, std::span<const line_condition> others) {
  std::string out =
      format("line {} {:.0f} % of the samples (this profile)", place_of(own), 100 * own.share);
  double rest = 1 - own.share;
  for (const line_condition& one : others) {
    out += format(", {} {:.0f} %", place_of(one), 100 * one.share);
    rest -= one.share;
  }
  if (rest >= 0.005) out += format(", none of these {:.0f} %", 100 * rest);
  return out;
}

}  // namespace calib
