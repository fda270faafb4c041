#include <calib/logp/reading.hpp>

#include <algorithm>
#include <utility>

namespace calib::logp {
namespace {

constexpr double clearly = 1.1;  // so many times as long is longer
constexpr double nearly = 0.9;

const issue_point* find(const points& from, std::uint64_t messages) {
  const auto found = std::ranges::find_if(
      from.signature, [&](const issue_point& p) { return p.delay == 0 && p.messages == messages; });
  return found == from.signature.end() ? nullptr : &*found;
}

// What sending and receiving take beside the delay, once a delay is long enough to set the pace;
// from the shortest such delay, as longer ones loosen the stream.
std::optional<double> busy(const points& from, double g) {
  for (const steady_point& p : from.steady)
    if (p.delay > 0 && p.ns > g * clearly) return p.ns - p.delay;
  return std::nullopt;
}

// Alone, a request is sent, received, answered, and the answer received, all by this processor; but
// the call that sends it does no more than that.
void read_lone(const points& from, reading& out) {
  const double both = from.alone ? from.lone_pair / 2 : from.lone_pair;
  const issue_point* const one = find(from, 1);
  if (!from.alone) out.o_s = from.lone_send;
  if (from.alone && one != nullptr) out.o_s = one->ns;
  if (out.o_s) out.o_r = both - *out.o_s;
  out.L = from.rtt / 2 - both;
}

// The rest of what keeps the processor busy. Alone it is busy with both ends of every message.
// Where it has time, what it does beside a delay is no stream: then that is known only if the
// messages of a stream do not share what a lone one pays.
std::optional<double> received_in_stream(const points& from, const reading& of,
                                         const std::optional<double>& sum) {
  const double ends = from.alone ? 2 : 1;
  const double sent = *of.o_s_stream;
  if (of.overhead_bound) return *of.g / ends - sent;
  if (!sum || !of.o_s || sent < *of.o_s * nearly) return std::nullopt;
  return *sum / ends - sent;
}

}  // namespace

reading read(const points& from) {
  reading out;
  out.rtt = from.rtt;
  read_lone(from, out);
  out.o_s_stream = from.stream_send;
  if (from.steady.empty()) return out;

  const double pace = from.steady.front().ns;
  // But for the last round trip a flood takes as long as the issue of its requests.
  const double flood = from.answered_flood - from.rtt / static_cast<double>(from.flood);
  out.saturated = flood <= pace * clearly;
  if (!out.saturated) return out;
  out.g = pace;
  // Alone, there is nobody to wait for.
  const std::optional<double> sum = from.alone ? std::optional(pace) : busy(from, pace);
  if (sum) out.idle = std::max(pace - *sum, 0.0);
  out.overhead_bound = sum && out.idle < (1 - nearly) * pace;
  out.window_bound = from.window != 0 && !out.overhead_bound &&
                     from.rtt / static_cast<double>(from.window) > nearly * pace;
  if (out.o_s_stream) out.o_r_stream = received_in_stream(from, out, sum);
  return out;
}

std::vector<issue_point> curve(const points& from, double resolution) {
  constexpr double sure = 20;
  std::vector<issue_point> out = from.signature;
  std::ranges::sort(out, {}, [](const issue_point& p) { return std::pair(p.delay, p.messages); });
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    issue_point& p = out[i];
    const issue_point& next = out[i + 1];
    if (next.delay != p.delay || p.ns >= sure * resolution) continue;
    const auto few = static_cast<double>(p.messages);
    const auto more = static_cast<double>(next.messages);
    p.ns = (more * next.ns - few * p.ns) / (more - few);
  }
  return out;
}

}  // namespace calib::logp
