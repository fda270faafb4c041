#include <calib/logp/summary.hpp>

#include <calib/format.hpp>

#include <algorithm>

namespace calib::logp {
namespace {

constexpr double clear_factor = 1.05;

struct column {
  const char* name;
  std::optional<double> (*of)(const launch_parameters&);
  bool of_stream = false;  // its points may be there and not determine it
};
constexpr column columns[] = {
    {"o_s", [](const launch_parameters& r) { return r.o_s; }},
    {"o_r", [](const launch_parameters& r) { return r.o_r; }},
    {"o_s_stream", [](const launch_parameters& r) { return r.o_s_stream; }},
    {"o_r_stream", [](const launch_parameters& r) { return r.o_r_stream; }, true},
    {"g", [](const launch_parameters& r) { return r.g; }, true},
    {"L", [](const launch_parameters& r) { return r.L; }},
    {"rtt", [](const launch_parameters& r) { return r.rtt; }},
};

// Of those that have a stream.
bool mostly(std::span<const launch_parameters> launches, bool launch_parameters::*is) {
  return 2 * std::ranges::count_if(launches,
                                   [&](const auto& one) { return one.streamed && one.*is; }) >
         std::ranges::count(launches, true, &launch_parameters::streamed);
}

// Over the launches that know the value, if they are the majority of those that have its points.
std::optional<estimate> estimate_over(std::span<const launch_parameters> launches,
                                      const column& c) {
  std::vector<double> known;
  for (const launch_parameters& one : launches)
    if (const std::optional<double> value = c.of(one)) known.push_back(*value);
  const auto streamed = std::ranges::count(launches, true, &launch_parameters::streamed);
  if (known.empty() || (c.of_stream && 2 * std::ssize(known) <= streamed)) return std::nullopt;
  return estimate_of(std::move(known));
}

// The intervals do not overlap, and the medians differ enough to be worth a remark.
bool clearly_apart(const parameter& one, const parameter& other) {
  if (!one.value || !other.value || !one.value->interval || !other.value->interval) return false;
  const auto& [low, high] = std::minmax(
      *one.value, *other.value, [](const auto& a, const auto& b) { return a.median < b.median; });
  return high.interval->low > low.interval->high && high.median > low.median * clear_factor;
}

// Why there is no value, or why the value is unreliable.
std::string remark_of(const parameter& p, bool saturated, bool shares_overheads,
                      std::uint64_t window) {
  if (!p.value) {
    if (p.name.ends_with("_stream") && window < 2)
      return "with a window of 1 every request waits for its answer";
    if (!saturated) return "not reached: the requests did not fill the window";
    if (p.name == "o_r_stream" && shares_overheads)
      return "not reached: messages in a stream share overheads, and the processor has time beside "
             "it";
    return "not reached: its points are missing";
  }
  if (!p.value->interval) return format("{} launches are too few for an interval", p.value->n);
  if (p.value->interval->high < 0) return "negative: what overlaps is counted twice";
  if (p.value->interval->low <= 0) return "below resolution: it may be zero";
  return {};
}

}  // namespace

const parameter& summary::operator[](std::string_view name) const {
  return *std::ranges::find(parameters, name, &parameter::name);
}

summary summarise(std::span<const launch_parameters> launches, std::uint64_t window) {
  summary out;
  const bool saturated = std::ranges::none_of(launches, &launch_parameters::streamed) ||
                         mostly(launches, &launch_parameters::saturated);
  const bool shares_overheads = std::ranges::any_of(launches, &launch_parameters::shares_overheads);
  for (const column& c : columns) {
    parameter p{c.name, estimate_over(launches, c), {}};
    p.remark = remark_of(p, saturated, shares_overheads, window);
    out.parameters.push_back(std::move(p));
  }
  // L may be close to 0, where a relative error means nothing: the error relates to half of the
  // RTT.
  if (const std::optional<estimate>& rtt = out["rtt"].value)
    std::ranges::find(out.parameters, "L", &parameter::name)->part_of = rtt->median / 2;
  out.overhead_bound = mostly(launches, &launch_parameters::overhead_bound);
  out.window_bound = mostly(launches, &launch_parameters::window_bound);
  out.aggregating =
      clearly_apart(out["o_s"], out["o_s_stream"]) || clearly_apart(out["o_r"], out["o_r_stream"]);
  if (out.overhead_bound)
    out.remarks.emplace_back(
        "overhead-bound: the processor is never idle in a flood and determines g");
  if (out.window_bound)
    out.remarks.push_back(
        format("window-bound: {} requests may be unanswered, and g is RTT / {}; the gap of the "
               "network is smaller and unknown",
               window, window));
  if (out.aggregating)
    out.remarks.emplace_back(
        "aggregating: a message in a stream costs the processor another time than a single one");
  return out;
}

}  // namespace calib::logp
