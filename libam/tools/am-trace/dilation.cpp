#include <libam/tools/am-trace/dilation.hpp>

#include <cmath>

namespace am::detail::traces {
namespace {

dilation_row row_of(const dilated_run& from, double undilated) {
  const rank_states& mean = from.mean;
  const double by = from.factor;
  const auto messages = static_cast<double>(mean.messages);
  const auto delayed = static_cast<double>(mean.delayed);
  dilation_row out{};
  out.factor = by;
  out.elapsed = mean.elapsed / by;
  out.user = mean.user / by;
  out.logical = mean.logical / by;
  out.physical = mean.physical / by;
  out.overhead = mean.overhead / by;
  out.delayed = messages > 0 ? delayed / messages : 0;
  out.mean_delay = delayed > 0 ? mean.logical * static_cast<double>(from.ranks) / delayed / by : 0;
  out.longest = mean.longest;
  out.messages = mean.messages;
  out.retries = mean.retries;
  out.speedup = out.elapsed > 0 ? undilated / out.elapsed : 0;
  return out;
}

struct line {
  double slope;
  double rest;
  double error;  // squared
};

double x_of(const dilation_row& one, bool by_retries) {
  return by_retries ? static_cast<double>(one.retries) : 1 / one.factor;
}

// Logical delay and overhead by least squares.
line fit(const std::vector<dilation_row>& rows, bool by_retries) {
  const auto count = static_cast<double>(rows.size());
  const auto y = [](const dilation_row& one) { return one.logical + one.overhead; };
  double x_mean = 0, y_mean = 0;
  for (const dilation_row& one : rows) {
    x_mean += x_of(one, by_retries) / count;
    y_mean += y(one) / count;
  }
  double together = 0, alone = 0;
  for (const dilation_row& one : rows) {
    const double x = x_of(one, by_retries) - x_mean;
    together += x * (y(one) - y_mean);
    alone += x * x;
  }
  line out{alone > 0 ? together / alone : 0, 0, 0};
  out.rest = y_mean - out.slope * x_mean;
  for (const dilation_row& one : rows)
    out.error += std::pow(y(one) - out.slope * x_of(one, by_retries) - out.rest, 2);
  return out;
}

void estimate(dilation& all) {
  std::vector<dilation_row>& rows = all.rows;
  const line by_retries = fit(rows, true), by_factor = fit(rows, false);
  all.by_retries = by_retries.error < by_factor.error;
  const line& better = all.by_retries ? by_retries : by_factor;
  all.slope = better.slope;
  all.rest = better.rest;
  double user = 0;
  for (const dilation_row& one : rows) user += one.user / static_cast<double>(rows.size());
  for (dilation_row& one : rows)
    one.estimate = user + rows.front().physical / one.factor +
                   all.slope * x_of(one, all.by_retries) + all.rest;
}

}  // namespace

dilation analyse(const std::vector<dilated_run>& runs) {
  dilation out;
  for (const dilated_run& one : runs)
    out.rows.push_back(row_of(one, runs.front().mean.elapsed / runs.front().factor));
  if (!out.rows.empty()) estimate(out);
  return out;
}

}  // namespace am::detail::traces
