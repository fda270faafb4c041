// Both processes play one script: the asking side measures, the answering side serves as many
// messages as it knows to come. Where answers come by themselves (handlers), only the asking side
// plays.
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

enum class side { asking, answering };
enum class forms { both, untouched };  // of bulk data

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

  // Of all sizes, one way and both ways at once.
  template <sends_mediums Layer>
  void medium(Layer& layer, std::string_view variant) {
    for (const bool both_ways : {false, true})
      for (const std::size_t bytes : medium_sizes) {
        const mediums what{bytes, both_ways, mediums_of(bytes, from_.windows)};
        const std::string name = what.name();
        if (from_.skips(name, variant)) continue;
        layer.set(what);
        const auto ask = [&](std::uint64_t) {
          const double ns = probe::medium(layer, clock_, what.count);
          if (!layer.intact()) lost(name);
          return ns;
        };
        take(long_samples(), name, variant, ask, [&] {
          if constexpr (serves_mediums<Layer>) layer.serve_mediums();
        });
      }
  }

  // Gets of all sizes of which a sample has more pieces than `above`. Before any store, which
  // changes what would be got.
  template <gets Layer>
  void get_bulk(Layer& layer, std::string_view variant, std::uint64_t above = 0) {
    play_bulk(
        layer, "get", variant, above, forms::both,
        [&](const bulk& what, std::uint64_t) {
          layer.memory().wipe(what);
          return arrived(probe::get(layer, clock_, what.count()), cargo::expected_get(what));
        },
        [&] {
          if constexpr (serves_gets<Layer>) layer.serve_gets();
        });
  }

  template <stores Layer>
  void store_bulk(Layer& layer, std::string_view variant, std::uint64_t above = 0,
                  forms which = forms::both) {
    play_bulk(
        layer, "store", variant, above, which,
        [&](const bulk& what, std::uint64_t sample) {
          layer.memory().stamp(what, sample);
          return arrived(probe::store(layer, clock_, what.count()),
                         cargo::expected_store(what, sample));
        },
        [&] {
          if constexpr (serves_stores<Layer>) layer.serve_stores();
        });
  }

 private:
  template <class Layer, class Ask, class Serve>
  void play(const Layer& layer, std::string_view probe, std::string_view variant, Ask&& ask,
            Serve&& serve) {
    if (from_.skips(probe, variant)) return;
    take(
        from_.samples, probe, variant,
        [&](std::uint64_t) {
          const double ns = ask();
          if (!layer.intact()) lost(probe);
          return ns;
        },
        serve);
  }

  // A fifth of the number does, but at least five.
  [[nodiscard]] unsigned long_samples() const {
    return std::min(from_.samples, std::max(5U, from_.samples / 5));
  }

  template <class Layer, class Ask, class Serve>
  void play_bulk(Layer& layer, const char* probe, std::string_view variant, std::uint64_t above,
                 forms which, Ask&& ask, Serve&& serve) {
    for (const std::size_t bytes : from_.bytes)
      for (const bool touched : {false, true}) {
        const bulk what{bytes, touched};
        const std::string name = what.name(probe);
        if (what.count() <= above || (touched && which == forms::untouched)) continue;
        if (from_.skips(name, variant)) continue;
        layer.set(what);
        take(
            long_samples(), name, variant, [&](std::uint64_t sample) { return ask(what, sample); },
            serve);
        if (mine_ == side::asking) layer.memory().stamp(what, 0);
      }
  }

  template <class Ask, class Serve>
  void take(unsigned samples, std::string_view probe, std::string_view variant, Ask&& ask,
            Serve&& serve) {
    if (mine_ == side::answering) {
      for (unsigned i = 0; i < samples; ++i) serve();
      return;
    }
    report::begin(probe, variant);
    std::vector<double> found(samples);
    for (unsigned i = 0; i < samples; ++i) found[i] = ask(i);
    report::values(probe, variant, found);
  }

  static double arrived(const probe::moved& pieces, std::uint64_t expected) {
    if (pieces.tallies != expected) lost("bulk data");
    return pieces.ns;
  }
  [[noreturn]] static void lost(std::string_view probe) {
    report::fault("a message was lost or changed in " + std::string(probe));
  }

  side mine_;
  const options& from_;
  am::clock clock_;
};

}  // namespace calib
