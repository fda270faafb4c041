// Takes the points from which LogP is read (logp/points.hpp): the asking side's script. How long
// the delays are and how many messages a sample has follows from the layer's own round trip and
// flood.
//
// It is told as other probes are (program/report.hpp), under these names:
//   rtt  answered_flood  lone_send  lone_pair  stream_send
//   delay/D      what delay number D takes by itself
//   issue/D/M    M requests from quiet, delay D behind each
//   steady/D     requests that go on and on, delay D behind each
// and as notes `window`, `flood`, the messages of one, and `alone` where the processor answers
// itself.
#pragma once

#include <calib/program/issue_probes.hpp>
#include <calib/program/sampling.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace calib {

template <signs Layer, probe::stages Stage, class Sink>
class signature {
 public:
  signature(Layer& layer, const Stage& stage, Sink& sink, const thoroughness& how)
      : layer_(layer), stage_(stage), sink_(sink), how_(how) {}

  void take() {
    const double in_flood = probe::break_in(layer_, stage_);
    window_ = layer_.window();
    sink_.note("window", std::to_string(window_));
    const std::uint64_t trips = how_.count_for(probe::rtt(layer_, stage_, 10), 200);
    rtt_ = series("rtt", [&] { return probe::rtt(layer_, stage_, trips); });
    const std::uint64_t flood = flood_length(in_flood);
    sink_.note("flood", std::to_string(flood));
    g_ = series("answered_flood", [&] { return probe::answered_flood(layer_, stage_, flood); });
    choose_delays();
    lone_messages();
    stream_of_sends();
    for (std::size_t d = 0; d < delays_.size(); ++d) {
      from_quiet(d);
      steadily(d, flood);
    }
  }

 private:
  // A delay in steps of the stage, and in ns as it was meant.
  struct wait {
    double ns;
    std::uint64_t steps;
  };
  static constexpr std::size_t delays = 8;  // besides none

  // Enough to fill the window many times, where the time allows it; whole windows, because a layer
  // that waits for one sends and waits by turns.
  [[nodiscard]] std::uint64_t flood_length(double ns) const {
    const std::uint64_t most = layer_.flood_length();
    const std::uint64_t some = std::max(how_.count_for(ns, most), std::min(4 * window_, most));
    return some > window_ && window_ > 0 ? some - some % window_ : some;
  }

  // Inside a stream, without a look at answers: what the second half of some takes.
  void stream_of_sends() {
    const std::uint64_t half = std::min<std::uint64_t>(window_ / 2, 2048);
    if (half == 0) return;
    series(
        "stream_send",
        [&] {
          const auto send_half = [&] {
            for (std::uint64_t i = 0; i < half; ++i) layer_.ask_blind();
          };
          layer_.ping();
          send_half();
          const double ns = probe::once(stage_, send_half) / static_cast<double>(half);
          layer_.drain();
          return ns;
        },
        4);
  }

  // From half a gap to two round trips, at equal ratios.
  void choose_delays() {
    delays_ = {{0, 0}};
    const double first = g_ / 2;
    const double ratio = std::pow(std::max(2 * rtt_ / first, 4.0), 1.0 / (delays - 1));
    for (std::size_t i = 0; i < delays; ++i) {
      const double ns = first * std::pow(ratio, static_cast<double>(i));
      delays_.push_back({ns, stage_.steps_for(ns)});
      series("delay/" + std::to_string(i + 1), [&, steps = delays_.back().steps] {
        return probe::delay(stage_, how_.count_for(ns, 1000), steps);
      });
    }
  }

  // One request from quiet, and computation until its answer is there; then that is read, or not;
  // then as much computation again, so that what a processor does beside it is no overhead.
  void lone_messages() {
    lone("lone_send", [] {});
    lone("lone_pair", [&] { layer_.take(); });
  }

  // What that takes longer than the computation by itself. The two take turns, because both are
  // long times; and each follows a round trip, because a peer that hears nothing for long falls
  // asleep, and that takes others time, too.
  template <class Look>
  void lone(const char* name, Look&& look) {
    const wait& spaced = delays_.back();
    const std::uint64_t turns = how_.count_for(2 * (2 * spaced.ns + 2 * rtt_), 50);
    constexpr unsigned times_as_many = 4;
    series(
        name,
        [&] {
          double sum = 0;
          for (std::uint64_t i = 0; i < turns; ++i) {
            layer_.ping();
            sum -= probe::delay(stage_, 2, spaced.steps) * 2;
            layer_.ping();
            sum += probe::once(stage_, [&] {
              layer_.ask();
              stage_.compute(spaced.steps);
              look();
              stage_.compute(spaced.steps);
            });
            layer_.drain();
          }
          return sum / static_cast<double>(turns);
        },
        times_as_many);
  }

  void from_quiet(std::size_t d) {
    const wait& between = delays_[d];
    const std::uint64_t step = d == 0 ? 2 : 8;
    for (std::uint64_t m = 1; static_cast<double>(m) * (g_ + between.ns) < how_.sample_ns;
         m *= step) {
      const std::uint64_t batches =
          how_.count_for(2 * (static_cast<double>(m) * (g_ + between.ns) + rtt_), 50);
      series("issue/" + std::to_string(d) + '/' + std::to_string(m),
             [&] { return probe::issue(layer_, stage_, m, batches, between.steps); });
    }
  }

  // Past the point where the window is full. Not with delays that surely set the pace: a layer that
  // looks for answers only when its window is full would need too many of them.
  void steadily(std::size_t d, std::uint64_t flood) {
    const wait& between = delays_[d];
    if (between.ns > 3 * g_) return;
    series("steady/" + std::to_string(d),
           [&] { return probe::steady_issue(layer_, stage_, flood, between.steps); });
  }

  template <class Take>
  double series(const std::string& name, Take&& take, unsigned times_as_many = 1) {
    const double middle = take_samples(sink_, how_.samples * times_as_many, name, take);
    layer_.ping();  // behind whatever was sent
    if (!layer_.intact()) sink_.lost(name);
    return middle;
  }

  Layer& layer_;
  const Stage& stage_;
  Sink& sink_;
  thoroughness how_;
  std::uint64_t window_ = 0;
  double rtt_ = 0;
  double g_ = 0;
  std::vector<wait> delays_;
};

}  // namespace calib
