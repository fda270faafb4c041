// Runs probes on a layer. Both processes make the same calls: the requester measures, the responder
// serves the number of messages that the probe sends. If handlers reply, only the requester runs.
#pragma once

#include <am/clock.hpp>
#include <calib/program/mediums.hpp>
#include <calib/program/options.hpp>
#include <calib/program/probes.hpp>
#include <calib/program/report.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace calib {

enum class side { requester, responder };
enum class forms { both, untouched };  // of bulk data

class probe_runner {
 public:
  probe_runner(side mine, const options& opts) : mine_(mine), options_(opts) {}

  template <ping_layer Layer>
  void rtt(Layer& layer, std::string_view variant, std::string_view probe = "rtt") {
    constexpr std::uint64_t trips = 200;
    run(
        layer, probe, variant, [&] { return probe::rtt(layer, clock_, trips); },
        [&] {
          if constexpr (serves_pings<Layer>) layer.serve_pings(trips);
        });
  }

  template <flood_layer Layer>
  void flood(Layer& layer, std::string_view variant) {
    const std::uint64_t messages = layer.flood_length();
    run(
        layer, "flood", variant, [&] { return probe::flood(layer, clock_, messages); },
        [&] {
          if constexpr (serves_posts<Layer> && serves_pings<Layer>) {
            layer.serve_posts(messages);
            layer.serve_pings(1);
          }
        });
  }

  template <request_layer Layer>
  void rr_flood(Layer& layer, std::string_view variant) {
    const std::uint64_t pairs = layer.flood_length();
    run(
        layer, "rr_flood", variant, [&] { return probe::rr_flood(layer, clock_, pairs); },
        [&] {
          if constexpr (serves_requests<Layer>) layer.serve_requests(pairs);
        });
  }

  // Only the requester takes part.
  template <flood_layer Layer>
  void rtt_after_flood(Layer& layer, std::string_view variant) {
    constexpr std::uint64_t trips = 16;
    constexpr std::uint64_t messages = 2000;
    run(
        layer, "rtt_after_flood", variant,
        [&] { return probe::rtt_after_flood(layer, clock_, trips, messages); }, [] {});
  }

  // Only the requester takes part.
  template <idle_layer Layer>
  void idle_poll(Layer& layer, std::string_view variant) {
    constexpr std::uint64_t polls = 1000;
    run(
        layer, "idle_poll", variant, [&] { return probe::idle_poll(layer, clock_, polls); }, [] {});
  }

  // All sizes, in one direction and in both.
  template <medium_layer Layer>
  void medium(Layer& layer, std::string_view variant) {
    for (const bool bidirectional : {false, true})
      for (const std::size_t bytes : medium_sizes) {
        const medium_spec what{bytes, bidirectional, medium_count(bytes, options_.windows)};
        const std::string name = what.name();
        if (options_.skips(name, variant)) continue;
        layer.set(what);
        const auto take_sample = [&](std::uint64_t) {
          const double ns = probe::medium(layer, clock_, what.count);
          if (!layer.intact()) report_loss(name);
          return ns;
        };
        sample_variant(long_samples(), name, variant, take_sample, [&] {
          if constexpr (serves_mediums<Layer>) layer.serve_mediums();
        });
      }
  }

  // Gets of all sizes of which a sample has more pieces than `above`. They precede all stores,
  // which change the data.
  template <get_layer Layer>
  void get_bulk(Layer& layer, std::string_view variant, std::uint64_t above = 0) {
    run_bulk(
        layer, "get", variant, above, forms::both,
        [&](const bulk_spec& what, std::uint64_t) {
          layer.memory().invalidate(what);
          return checked_ns(probe::get(layer, clock_, what.count()),
                            bulk_buffer::expected_get(what));
        },
        [&] {
          if constexpr (serves_gets<Layer>) layer.serve_gets();
        });
  }

  template <store_layer Layer>
  void store_bulk(Layer& layer, std::string_view variant, std::uint64_t above = 0,
                  forms which = forms::both) {
    run_bulk(
        layer, "store", variant, above, which,
        [&](const bulk_spec& what, std::uint64_t sample) {
          layer.memory().stamp(what, sample);
          return checked_ns(probe::store(layer, clock_, what.count()),
                            bulk_buffer::expected_store(what, sample));
        },
        [&] {
          if constexpr (serves_stores<Layer>) layer.serve_stores();
        });
  }

 private:
  template <class Layer, class Sample, class Serve>
  void run(const Layer& layer, std::string_view probe, std::string_view variant,
           Sample&& take_sample, Serve&& serve) {
    if (options_.skips(probe, variant)) return;
    sample_variant(
        options_.samples, probe, variant,
        [&](std::uint64_t) {
          const double ns = take_sample();
          if (!layer.intact()) report_loss(probe);
          return ns;
        },
        serve);
  }

  // Long probes need only a fifth of the samples, but at least five.
  [[nodiscard]] unsigned long_samples() const {
    return std::min(options_.samples, std::max(5U, options_.samples / 5));
  }

  template <class Layer, class Sample, class Serve>
  void run_bulk(Layer& layer, const char* probe, std::string_view variant, std::uint64_t above,
                forms which, Sample&& take_sample, Serve&& serve) {
    for (const std::size_t bytes : options_.bytes)
      for (const bool touched : {false, true}) {
        const bulk_spec what{bytes, touched};
        const std::string name = what.name(probe);
        if (what.count() <= above || (touched && which == forms::untouched)) continue;
        if (options_.skips(name, variant)) continue;
        layer.set(what);
        sample_variant(
            long_samples(), name, variant,
            [&](std::uint64_t sample) { return take_sample(what, sample); }, serve);
        if (mine_ == side::requester) layer.memory().stamp(what, 0);
      }
  }

  template <class Sample, class Serve>
  void sample_variant(unsigned samples, std::string_view probe, std::string_view variant,
                      Sample&& take_sample, Serve&& serve) {
    if (mine_ == side::responder) {
      for (unsigned i = 0; i < samples; ++i) serve();
      return;
    }
    report::begin(probe, variant);
    std::vector<double> found(samples);
    for (unsigned i = 0; i < samples; ++i) found[i] = take_sample(i);
    report::values(probe, variant, found);
  }

  static double checked_ns(const probe::bulk_sample& pieces, std::uint64_t expected) {
    if (pieces.checksum != expected) report_loss("bulk data");
    return pieces.ns;
  }
  [[noreturn]] static void report_loss(std::string_view probe) {
    report::fault("a message was lost or changed in " + std::string(probe));
  }

  side mine_;
  const options& options_;
  am::clock clock_;
};

}  // namespace calib
