#include <libam/tools/am-trace/dilation.hpp>

#include <algorithm>

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

// Logical delay and overhead by least squares.
void estimate(dilation& all) {
  std::vector<dilation_row>& rows = all.rows;
  const auto count = static_cast<double>(rows.size());
  all.by_retries = std::ranges::any_of(
      rows, [&](const dilation_row& one) { return one.retries != rows.front().retries; });
  const auto x = [&](const dilation_row& one) {
    return all.by_retries ? static_cast<double>(one.retries) : 1 / one.factor;
  };
  const auto y = [](const dilation_row& one) { return one.logical + one.overhead; };
  double user = 0, x_mean = 0, y_mean = 0;
  for (const dilation_row& one : rows) {
    user += one.user / count;
    x_mean += x(one) / count;
    y_mean += y(one) / count;
  }
  double together = 0, alone = 0;
  for (const dilation_row& one : rows) {
    together += (x(one) - x_mean) * (y(one) - y_mean);
    alone += (x(one) - x_mean) * (x(one) - x_mean);
  }
  all.slope = alone > 0 ? together / alone : 0;
  all.rest = y_mean - all.slope * x_mean;
  for (dilation_row& one : rows)
    one.estimate = user + rows.front().physical / one.factor + all.slope * x(one) + all.rest;
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
