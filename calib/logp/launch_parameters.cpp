#include <calib/logp/launch_parameters.hpp>

#include <algorithm>
#include <utility>

namespace calib::logp {
namespace {

constexpr double clearly_longer = 1.1;  // smaller ratios count as equal
constexpr double nearly_equal = 0.9;

const issue_point* find(const points& from, std::uint64_t messages) {
  const auto found = std::ranges::find_if(
      from.signature, [&](const issue_point& p) { return p.delay == 0 && p.messages == messages; });
  return found == from.signature.end() ? nullptr : &*found;
}

// The time for sending and receiving beside a delay that is long enough to set the gap. From the
// shortest such delay, because longer ones separate the messages of the stream.
std::optional<double> busy_time(const points& from, double g) {
  for (const steady_point& p : from.steady)
    if (p.delay > 0 && p.ns > g * clearly_longer) return p.ns - p.delay;
  return std::nullopt;
}

// Over self this processor sends and receives both the request and the reply; the call that sends
// the request does only that.
void derive_lone(const points& from, launch_parameters& out) {
  if (!from.lone_pair) return;
  const double both = from.over_self ? *from.lone_pair / 2 : *from.lone_pair;
  const issue_point* const one = find(from, 1);
  if (!from.over_self) out.o_s = from.lone_send;
  if (from.over_self && one != nullptr) out.o_s = one->ns;
  if (out.o_s) out.o_r = both - *out.o_s;
  if (from.rtt) out.L = *from.rtt / 2 - both;
}

// If the processor has idle time, the messages beside a delay are no stream.
bool shares_overheads(const launch_parameters& of) {
  return !of.overhead_bound && of.o_s && of.o_s_stream && *of.o_s_stream < *of.o_s * nearly_equal;
}

// The busy time minus the time for sending. Over self the processor is busy with both ends of every
// message.
std::optional<double> stream_receive_overhead(const points& from, const launch_parameters& of,
                                              const std::optional<double>& sum) {
  const double ends = from.over_self ? 2 : 1;
  const double sent = *of.o_s_stream;
  if (of.overhead_bound) return *of.g / ends - sent;
  if (!sum || !of.o_s || of.shares_overheads) return std::nullopt;
  return *sum / ends - sent;
}

}  // namespace

launch_parameters parameters_of(const points& from) {
  launch_parameters out;
  out.rtt = from.rtt;
  derive_lone(from, out);
  out.o_s_stream = from.stream_send;
  out.streamed = !from.steady.empty();
  if (!out.streamed) return out;

  const double steady_gap = from.steady.front().ns;
  // Except for its last round trip a flood takes as long as issuing its requests.
  if (from.answered_flood && from.rtt)
    out.saturated = *from.answered_flood - *from.rtt / static_cast<double>(from.flood) <=
                    steady_gap * clearly_longer;
  if (!out.saturated) return out;
  out.g = steady_gap;
  // Over self the processor never waits for another one.
  const std::optional<double> sum =
      from.over_self ? std::optional(steady_gap) : busy_time(from, steady_gap);
  if (sum) out.idle = std::max(steady_gap - *sum, 0.0);
  out.overhead_bound = sum && out.idle < (1 - nearly_equal) * steady_gap;
  out.window_bound = from.window != 0 && !out.overhead_bound && from.rtt &&
                     *from.rtt / static_cast<double>(from.window) > nearly_equal * steady_gap;
  out.shares_overheads = shares_overheads(out);
  if (out.o_s_stream) out.o_r_stream = stream_receive_overhead(from, out, sum);
  return out;
}

std::vector<issue_point> signature_curve(const points& from, double resolution) {
  constexpr double resolvable = 20;
  std::vector<issue_point> out = from.signature;
  std::ranges::sort(out, {}, [](const issue_point& p) { return std::pair(p.delay, p.messages); });
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    issue_point& p = out[i];
    const issue_point& next = out[i + 1];
    if (next.delay != p.delay || p.ns >= resolvable * resolution) continue;
    const auto few = static_cast<double>(p.messages);
    const auto more = static_cast<double>(next.messages);
    p.ns = (more * next.ns - few * p.ns) / (more - few);
  }
  return out;
}

}  // namespace calib::logp
