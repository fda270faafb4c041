#include <calib/driver/commtest/commtest_result.hpp>

#include <calib/driver/launch/cpus.hpp>
#include <calib/format.hpp>
#include <calib/program/commtest/commtest_options.hpp>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace calib {
namespace {

// A span that is so much longer than the longest time is remarked upon.
constexpr double span_within = 1.1;

// The runs of a row: for each the times, and the spans, of all packet counts.
struct row_runs {
  std::vector<std::vector<double>> times, spans;
};
using runs_by_name = std::map<std::string, row_runs>;  // of a protocol and set, "0,3/B"

// "METHOD,T" is the variant of times.
bool is_variant(const series& one, const launch& of, const char* name) {
  return one.variant == of.method + ',' + name;
}

// What a launch had measured when it was stopped is right; one that failed may have measured
// anything.
bool has_failed(const launch& one) { return !one.fault.empty() && one.fault != "stopped"; }

void add_runs(launch& from, std::size_t counts, runs_by_name& to) {
  for (series& one : from.measured) {
    one.warm_up = 0;  // the samples are of different packet counts
    if (one.samples.size() != counts) continue;
    if (is_variant(one, from, "T")) to[one.probe].times.push_back(one.samples);
    if (is_variant(one, from, "span")) to[one.probe].spans.push_back(one.samples);
  }
}

std::vector<double> column(const std::vector<std::vector<double>>& of, std::size_t i) {
  std::vector<double> out;
  for (const std::vector<double>& run : of) out.push_back(run[i]);
  return out;
}

commtest_point point_of(const row_runs& runs, unsigned packets, std::size_t i) {
  const std::vector<double> times = column(runs.times, i);
  const auto end =
      times.begin() + static_cast<std::ptrdiff_t>(std::min(times.size(), runs_of_least));
  return {packets,
          {*std::min_element(times.begin(), end), estimate_of(times)},
          runs.spans.empty() ? 1 : median(column(runs.spans, i))};
}

// A figure of the least times, and of each run.
template <class Of>
commtest_figure figure_of(const swap_curve& least, const row_runs& runs, Of&& of) {
  std::vector<double> all;
  swap_curve one = least;
  for (const std::vector<double>& times : runs.times) {
    one.times = times;
    all.push_back(of(one));
  }
  return {of(least), estimate_of(std::move(all))};
}

void complete(commtest_row& row, const row_runs& runs, const std::vector<unsigned>& packets) {
  row.runs = runs.times.size();
  swap_curve least{static_cast<double>(row.slice.volume), packets, {}};
  for (std::size_t i = 0; i < packets.size(); ++i) {
    row.points.push_back(point_of(runs, packets[i], i));
    least.times.push_back(row.points.back().time.of_least);
  }
  const bool ordered = row.by->ordered;
  row.alpha = figure_of(least, runs, alpha_of);
  row.beta = figure_of(least, runs, beta_of);
  row.latency = figure_of(least, runs,
                          [&](const swap_curve& of) { return latency_of(alpha_of(of), ordered); });
  row.bandwidth =
      figure_of(least, runs, [](const swap_curve& of) { return swap_bandwidth_of(beta_of(of)); });
  row.error = model_error_of(least, row.alpha.of_least, row.beta.of_least);
}

void add_rows(const measured_layer& layer, const commtest_slice& slice, const runs_by_name& runs,
              commtest_result& to) {
  for (const swap_protocol& by : swap_protocols())
    for (const swap_set set : swap_sets) {
      const auto found = runs.find(std::string(by.name) + '/' + name_of(set));
      if (found == runs.end() || found->second.times.empty()) continue;
      commtest_row row{layer, slice, &by, set};
      complete(row, found->second, to.scope.packets);
      to.rows.push_back(std::move(row));
    }
}

void remark_on_spans(const measured_layer& layer, const std::string& pairs, commtest_result& into) {
  std::size_t all = 0;
  std::size_t longer = 0;
  double most = 1;
  for (const commtest_row& row : into.rows)
    for (const commtest_point& point : row.points)
      if (row.layer == layer && row.slice.pairs == pairs) {
        ++all;
        if (point.span > span_within) ++longer;
        most = std::max(most, point.span);
      }
  if (longer == 0) return;
  into.remarks.push_back(
      format("{}, pair {}: the span from the first start to the last end is more than {} times as "
             "long as {} of {} times, and up to {:.1f} times",
             name_of(layer), pairs, span_within, longer, all, most));
}

void remark_on_cpus(commtest_result& into) {
  const std::size_t cpus = into.environment.allowed_cpus.size();
  for (const std::string& pairs : into.scope.pairs) {
    const auto processes = static_cast<std::size_t>(processes_for(pairs));
    if (processes <= cpus) continue;
    // In the pair 0-2 two of four sleep, but each library knows of four.
    const char* effect = pairs == swap_pairs[2]
                             ? "such figures show the scheduler more than the messages"
                             : "libam and Open MPI then yield or sleep where they would spin";
    into.remarks.push_back(format("pair {}: {} processes share {} CPU{}: {}", pairs, processes,
                                  cpus, cpus == 1 ? "" : "s", effect));
  }
}

// What another library cannot do makes the result unfit; what ours cannot makes it a failure.
void collect_faults(commtest_result& into) {
  for (const launch& one : into.launches) {
    if (!has_failed(one)) continue;
    const std::string line = format("{}, {}: {}", name_of(one.layer), one.method, one.fault);
    std::vector<std::string>& to = is_ours(one.layer) ? into.failed : into.unfit;
    if (std::ranges::find(to, line) == to.end()) to.push_back(line);
  }
}

}  // namespace

void analyse(commtest_result& into) {
  const std::vector<measured_layer> layers = commtest_layers();
  for (const measured_layer& layer : layers) {
    for (const commtest_slice& slice : slices_of(into.scope)) {
      runs_by_name runs;
      for (launch& one : into.launches)
        if (one.layer == layer && one.method == method_of(slice) && !has_failed(one))
          add_runs(one, into.scope.packets.size(), runs);
      add_rows(layer, slice, runs, into);
    }
    for (const std::string& pairs : into.scope.pairs) remark_on_spans(layer, pairs, into);
  }
  std::size_t fewest = runs_of_least;
  for (const commtest_row& row : into.rows) fewest = std::min(fewest, row.runs);
  if (fewest < runs_of_least)
    into.remarks.push_back(format("the least times are of {} run{} and not of {} in places", fewest,
                                  fewest == 1 ? "" : "s", runs_of_least));
  remark_on_cpus(into);
  into.best = best_protocols(into.rows);
  collect_faults(into);
  collect_notes(into.launches, into.environment);
}

}  // namespace calib
