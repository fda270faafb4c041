#include <calib/format.hpp>
#include <calib/logp/summary.hpp>

#include <algorithm>

namespace calib::logp {
namespace {

constexpr double apart_by = 1.05;

struct column {
  const char* name;
  std::optional<double> (*of)(const reading&);
};
constexpr column columns[] = {
    {"o_s", [](const reading& r) { return r.o_s; }},
    {"o_r", [](const reading& r) { return r.o_r; }},
    {"o_s_stream", [](const reading& r) { return r.o_s_stream; }},
    {"o_r_stream", [](const reading& r) { return r.o_r_stream; }},
    {"g", [](const reading& r) { return r.g; }},
    {"L", [](const reading& r) { return r.L; }},
    {"rtt", [](const reading& r) { return std::optional(r.rtt); }},
};

bool mostly(std::span<const reading> launches, bool reading::*is) {
  return 2 * std::ranges::count(launches, true, is) > std::ssize(launches);
}

// Of those launches that know it, if they are the greater part.
std::optional<estimate> over(std::span<const reading> launches, const column& c) {
  std::vector<double> known;
  for (const reading& one : launches)
    if (const std::optional<double> value = c.of(one)) known.push_back(*value);
  if (2 * known.size() <= launches.size()) return std::nullopt;
  return estimate_of(std::move(known));
}

// By more than their intervals, and so much that it is worth saying.
bool apart(const parameter& one, const parameter& other) {
  if (!one.value || !other.value || !one.value->interval || !other.value->interval) return false;
  const auto& [low, high] = std::minmax(
      *one.value, *other.value, [](const auto& a, const auto& b) { return a.median < b.median; });
  return high.interval->low > low.interval->high && high.median > low.median * apart_by;
}

// Why there is no value, or what keeps it from being a good one.
std::string remark_of(const parameter& p, bool saturated, std::uint64_t window) {
  if (!p.value) {
    if (p.name.ends_with("_stream") && window < 2)
      return "a window of 1 leaves no request without its answer";
    if (!saturated) return "not reached: the requests did not fill the window";
    if (p.name == "o_r_stream")
      return "not reached: messages in a stream share overheads, and the processor has time beside "
             "it";
    return "not reached: its points are missing";
  }
  if (!p.value->interval) return format("{} launches are too few for an interval", p.value->n);
  if (p.value->interval->high < 0)
    return "less than nothing: what happens at the same time counts twice";
  if (p.value->interval->low <= 0) return "below resolution: it may as well be nothing";
  return {};
}

}  // namespace

const parameter& summary::operator[](std::string_view name) const {
  return *std::ranges::find(parameters, name, &parameter::name);
}

summary summarise(std::span<const reading> launches, std::uint64_t window) {
  summary out;
  const bool saturated = mostly(launches, &reading::saturated);
  for (const column& c : columns) {
    parameter p{c.name, over(launches, c), {}};
    p.remark = remark_of(p, saturated, window);
    out.parameters.push_back(std::move(p));
  }
  // What is left of one way may come to next to nothing, of which no part could be asked for.
  std::ranges::find(out.parameters, "L", &parameter::name)->part_of = out["rtt"].value->median / 2;
  out.overhead_bound = mostly(launches, &reading::overhead_bound);
  out.window_bound = mostly(launches, &reading::window_bound);
  out.aggregating = apart(out["o_s"], out["o_s_stream"]) || apart(out["o_r"], out["o_r_stream"]);
  if (out.overhead_bound)
    out.remarks.emplace_back("overhead-bound: the processor is never idle in a flood, and sets g");
  if (out.window_bound)
    out.remarks.push_back(
        format("window-bound: {} requests may be without an answer, and g is RTT / {}; what the "
               "network could do is less than that and unknown",
               window, window));
  if (out.aggregating)
    out.remarks.emplace_back(
        "aggregating: a message in a stream costs the processor another time than a lone one");
  return out;
}

}  // namespace calib::logp
