// Both processes play one script: the asking side measures, the answering side serves as many
// messages as it knows to come. Where answers come by themselves (handlers), only the asking side
// plays.
#pragma once

#include <calib/program/options.hpp>
#include <calib/program/probes.hpp>
#include <calib/program/report.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace calib {

enum class side { asking, answering };

class script {
 public:
  script(side mine, const options& from) : mine_(mine), from_(from) {}

  [[nodiscard]] const am::clock& clock() const noexcept { return clock_; }

  template <pings Layer>
  void rtt(Layer& layer, std::string_view variant, std::string_view probe = "rtt") {
    constexpr std::uint64_t trips = 200;
    play(
        layer, probe, variant, [&] { return probe::rtt(layer, clock_, trips); },
        [&] {
          if constexpr (serves_pings<Layer>) layer.serve_pings(trips);
        });
  }

  template <floods Layer>
  void flood(Layer& layer, std::string_view variant) {
    const std::uint64_t messages = layer.flood_length();
    play(
        layer, "flood", variant, [&] { return probe::flood(layer, clock_, messages); },
        [&] {
          if constexpr (serves_posts<Layer> && serves_pings<Layer>) {
            layer.serve_posts(messages);
            layer.serve_pings(1);
          }
        });
  }

  template <asks Layer>
  void rr_flood(Layer& layer, std::string_view variant) {
    const std::uint64_t pairs = layer.flood_length();
    play(
        layer, "rr_flood", variant, [&] { return probe::rr_flood(layer, clock_, pairs); },
        [&] {
          if constexpr (serves_asks<Layer>) layer.serve_asks(pairs);
        });
  }

  // The asking side alone.
  template <floods Layer>
  void rtt_after_flood(Layer& layer, std::string_view variant) {
    constexpr std::uint64_t trips = 16;
    constexpr std::uint64_t messages = 2000;
    play(
        layer, "rtt_after_flood", variant,
        [&] { return probe::rtt_after_flood(layer, clock_, trips, messages); }, [] {});
  }

  // The asking side alone.
  template <idles Layer>
  void idle_poll(Layer& layer, std::string_view variant) {
    constexpr std::uint64_t polls = 1000;
    play(
        layer, "idle_poll", variant, [&] { return probe::idle_poll(layer, clock_, polls); }, [] {});
  }

 private:
  template <class Layer, class Ask, class Serve>
  void play(const Layer& layer, std::string_view probe, std::string_view variant, Ask&& ask,
            Serve&& serve) {
    if (from_.skips(probe, variant)) return;
    if (mine_ == side::answering) {
      for (unsigned i = 0; i < from_.samples; ++i) serve();
      return;
    }
    report::begin(probe, variant);
    std::vector<double> samples(from_.samples);
    for (double& sample : samples) {
      sample = ask();
      if (!layer.intact()) report::fault("a message was lost or changed in " + std::string(probe));
    }
    report::values(probe, variant, samples);
  }

  side mine_;
  const options& from_;
  am::clock clock_;
};

}  // namespace calib
