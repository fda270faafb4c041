// Measures the LogP signature of a layer (logp/points.hpp) at the requester. The length of the
// delays and the number of messages follow from the layer's round trip and flood.
//
// Reported (report.hpp) under these names:
//   rtt  answered_flood  lone_send  lone_pair  stream_send
//   delay/D      delay number D alone
//   issue/D/M    M requests on an idle layer, each followed by delay D
//   steady/D     requests in the steady state, each followed by delay D
// and the notes `window` and `flood`, the messages of a flood. The caller adds the note `alone` if
// the process sends to itself.
#pragma once

#include <calib/program/issue_probes.hpp>
#include <calib/program/sampling.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace calib {

template <logp_layer Layer, probe::processor_like Processor, class Sink>
class signature_probe {
 public:
  signature_probe(Layer& layer, const Processor& cpu, Sink& sink, const sample_plan& plan)
      : layer_(layer), cpu_(cpu), sink_(sink), plan_(plan) {}

  void measure() {
    const double flood_ns = probe::warm_up_layer(layer_, cpu_);
    window_ = layer_.window();
    sink_.note("window", std::to_string(window_));
    const std::uint64_t trips = plan_.count_for(probe::rtt(layer_, cpu_, 10), 200);
    rtt_ = sample_series("rtt", [&] { return probe::rtt(layer_, cpu_, trips); });
    const std::uint64_t flood = flood_length(flood_ns);
    sink_.note("flood", std::to_string(flood));
    g_ =
        sample_series("answered_flood", [&] { return probe::answered_flood(layer_, cpu_, flood); });
    choose_delays();
    measure_lone_messages();
    measure_stream_send();
    for (std::size_t d = 0; d < delays_.size(); ++d) {
      measure_issue(d);
      measure_steady(d, flood);
    }
  }

 private:
  // A delay: the intended length, and the steps of the processor.
  struct delay_length {
    double ns;
    std::uint64_t steps;
  };
  static constexpr std::size_t delay_count = 8;  // without the delay of 0

  // Enough to fill the window many times, if the time allows, but twice even if not. Whole windows,
  // because some layers send a window and then wait for all of its replies. The steady state takes
  // two floods.
  [[nodiscard]] std::uint64_t flood_length(double ns) const {
    const std::uint64_t most = layer_.flood_length();
    return whole_windows(std::max(plan_.count_for(2 * ns, most), std::min(2 * window_, most)));
  }
  // The window fills by the part of the gap that is no overhead: slowly, if that is small.
  [[nodiscard]] std::uint64_t filling_length(std::uint64_t flood) const {
    const std::uint64_t most = layer_.flood_length();
    return whole_windows(std::max(flood, std::min(4 * window_, most)));
  }
  [[nodiscard]] std::uint64_t whole_windows(std::uint64_t some) const {
    return some > window_ && window_ > 0 ? some - some % window_ : some;
  }

  // A request inside a stream, without a poll for replies: the second of two bursts.
  void measure_stream_send() {
    const std::uint64_t burst = std::min(window_ / 2, plan_.burst);
    if (burst == 0) return;
    sample_series(
        "stream_send",
        [&] {
          const auto send_burst = [&] {
            for (std::uint64_t i = 0; i < burst; ++i) layer_.request_without_poll();
          };
          layer_.ping();
          send_burst();
          const double ns = probe::time_once(cpu_, send_burst) / static_cast<double>(burst);
          layer_.drain();
          return ns;
        },
        4 * plan_.samples);
  }

  // From half a gap to two round trips, in a geometric sequence.
  void choose_delays() {
    delays_ = {{0, 0}};
    const double first = g_ / 2;
    const double ratio = std::pow(std::max(2 * rtt_ / first, 4.0), 1.0 / (delay_count - 1));
    for (std::size_t i = 0; i < delay_count; ++i) {
      const double ns = first * std::pow(ratio, static_cast<double>(i));
      delays_.push_back({ns, cpu_.steps_for(ns)});
      sample_series("delay/" + std::to_string(i + 1), [&, steps = delays_.back().steps] {
        return probe::compute_time(cpu_, plan_.count_for(ns, 1000), steps);
      });
    }
  }

  // One request on an idle layer, and computation until its reply has arrived; then the reply is
  // read, or not; then the same computation again, so that work beside it is no overhead.
  void measure_lone_messages() {
    measure_lone("lone_send", [] {});
    measure_lone("lone_pair", [&] { layer_.receive_reply(); });
  }

  // The difference to the computation alone. The two are measured alternately, because both are
  // long times. Each follows a round trip, because an idle peer falls asleep, and to wake it costs
  // this side time, too.
  template <class Poll>
  void measure_lone(const char* name, Poll&& poll) {
    const delay_length& spaced = delays_.back();
    const std::uint64_t rounds = plan_.count_for(2 * (2 * spaced.ns + 2 * rtt_), 50);
    sample_series(
        name,
        [&] {
          double sum = 0;
          for (std::uint64_t i = 0; i < rounds; ++i) {
            layer_.ping();
            sum -= probe::compute_time(cpu_, 2, spaced.steps) * 2;
            layer_.ping();
            sum += probe::time_once(cpu_, [&] {
              layer_.request();
              cpu_.compute(spaced.steps);
              poll();
              cpu_.compute(spaced.steps);
            });
            layer_.drain();
          }
          return sum / static_cast<double>(rounds);
        },
        4 * plan_.samples);
  }

  void measure_issue(std::size_t d) {
    const delay_length& between = delays_[d];
    const std::uint64_t step = d == 0 ? 2 : 8;
    for (std::uint64_t m = 1; static_cast<double>(m) * (g_ + between.ns) < plan_.sample_ns;
         m *= step) {
      const std::uint64_t batches =
          plan_.count_for(2 * (static_cast<double>(m) * (g_ + between.ns) + rtt_), 50);
      sample_series(
          "issue/" + std::to_string(d) + '/' + std::to_string(m),
          [&] { return probe::issue(layer_, cpu_, m, batches, between.steps); },
          plan_.for_points().samples);
    }
  }

  // Beyond the point where the window is full. Long delays, which certainly set the gap, are left
  // out: a layer that polls for replies only when its window is full would need too many of them.
  void measure_steady(std::size_t d, std::uint64_t flood) {
    const delay_length& between = delays_[d];
    if (between.ns > 2 * g_) return;
    // Of g itself: samples of a stream differ most. Not where a wide window makes them long.
    const bool is_short = static_cast<double>(flood) * g_ <= plan_.sample_ns;
    const unsigned samples = d == 0 && is_short ? 4 * plan_.samples : plan_.samples;
    sample_series(
        "steady/" + std::to_string(d),
        [&] {
          return probe::steady_issue(layer_, cpu_, filling_length(flood), flood, between.steps);
        },
        samples);
  }

  template <class Take>
  double sample_series(const std::string& name, Take&& take) {
    return sample_series(name, take, plan_.samples);
  }
  template <class Take>
  double sample_series(const std::string& name, Take&& take, unsigned samples) {
    const double middle = take_samples(sink_, samples, name, take);
    layer_.ping();  // waits for all earlier messages
    if (!layer_.intact()) sink_.report_loss(name);
    return middle;
  }

  Layer& layer_;
  const Processor& cpu_;
  Sink& sink_;
  sample_plan plan_;
  std::uint64_t window_ = 0;
  double rtt_ = 0;
  double g_ = 0;
  std::vector<delay_length> delays_;
};

}  // namespace calib
