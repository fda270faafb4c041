// Measures at the requester what the dials of AM_DIAL change. Lone messages are spaced beyond the
// round trip and any gap, in all launches alike: so neither a gap nor the time for which caches
// were left alone differs between the launches that are compared.
//
// Reported (report.hpp) under these names:
//   rtt         a request and its reply
//   o_s  o_r    the call that sends a lone request, and the poll that receives its reply
//   g           a request in the steady state of a flood
//   gap/BYTES   a medium of so many bytes among others, for G
#pragma once

#include <calib/program/issue_probes.hpp>
#include <calib/program/pieces.hpp>
#include <calib/program/sampling.hpp>
#include <calib/program/size_probe.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace calib {

template <logp_layer Layer, piece_mover Mover, probe::processor_like Processor, class Sink>
class dial_probe {
 public:
  dial_probe(Layer& layer, Mover& mover, const Processor& cpu, Sink& sink, const sample_plan& plan,
             double spacing_ns)
      : layer_(layer),
        mover_(mover),
        cpu_(cpu),
        sink_(sink),
        plan_(plan),
        spacing_ns_(spacing_ns) {}

  void measure() {
    probe::rtt(layer_, cpu_, 100);
    probe::widen_window(layer_);
    const std::uint64_t window = layer_.window();
    sink_.note("window", std::to_string(window));
    take_samples(sink_, plan_.samples, "rtt",
                 [&] { return middle_of([&] { return time_trip(); }); });
    take_samples(sink_, plan_.samples, "o_s",
                 [&] { return middle_of([&] { return time_send(); }); });
    take_samples(sink_, plan_.samples, "o_r",
                 [&] { return middle_of([&] { return time_receive(); }); });
    const std::uint64_t flood = flood_length(window);
    take_samples(sink_, plan_.for_floods().samples, "g",
                 [&] { return probe::steady_issue(layer_, cpu_, flood, flood, 0); });
    if (!layer_.intact()) sink_.report_loss("g");
    for (const std::size_t bytes : {1024U, 4096U}) measure_gap(bytes);
  }

 private:
  // Of so many, the time in the middle: others are delayed by what has nothing to do with messages.
  static constexpr unsigned trips = 25;
  static constexpr std::uint64_t pieces = 32;

  // A gap little longer than what a message takes by itself fills the window slowly: the flood
  // before the one that counts is as many windows as ten milliseconds allow.
  std::uint64_t flood_length(std::uint64_t window) {
    constexpr double most_ns = 10e6;
    const double ns = probe::steady_issue(layer_, cpu_, 2 * window, 2 * window, 0);
    const auto windows = static_cast<std::uint64_t>(most_ns / ns) / window;
    return std::clamp<std::uint64_t>(windows, 2, 16) * window;
  }

  template <class Take>
  double middle_of(Take&& take) {
    std::vector<double> found(trips);
    for (double& one : found) one = take();
    const auto middle = found.begin() + trips / 2;
    std::ranges::nth_element(found, middle);
    return *middle;
  }

  void rest() const {
    const std::uint64_t start = cpu_.now();
    while (cpu_.ns(cpu_.now() - start) < spacing_ns_) {
    }
  }

  double time_trip() {
    rest();
    return time([&] { layer_.ping(); });
  }
  double time_send() {
    rest();
    const double ns = time([&] { layer_.request(); });
    layer_.drain();
    return ns;
  }
  double time_receive() {
    layer_.request();
    rest();
    return time([&] { layer_.receive_reply(); });
  }

  template <class What>
  double time(What&& what) {
    return probe::time_once(cpu_, what) - cpu_.cost_ns();
  }

  void measure_gap(std::size_t bytes) {
    const std::string name = "gap/" + std::to_string(bytes);
    mover_.set(bytes);
    time_batch(pieces);
    const std::uint64_t count = plan_.for_floods().count_for(time_batch(3 * pieces), 20);
    take_samples(sink_, plan_.samples, name,
                 [&] { return mean_of(count, [&] { return time_gap(); }); });
    if (!mover_.intact()) sink_.report_loss(name);
  }

  // The difference between n and 2 n pieces cancels the first call and the last trip.
  double time_gap() {
    const double some = time_batch(pieces);
    return (time_batch(2 * pieces) - some) / static_cast<double>(pieces);
  }
  double time_batch(std::uint64_t count) {
    return probe::time_once(cpu_, [&] {
      for (std::uint64_t i = 0; i < count; ++i) mover_.move();
      mover_.wait_for_all();
    });
  }

  Layer& layer_;
  Mover& mover_;
  const Processor& cpu_;
  Sink& sink_;
  sample_plan plan_;
  double spacing_ns_;
};

}  // namespace calib
