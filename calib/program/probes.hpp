// The probes: each takes one sample and returns nanoseconds. A sample is a batch, so that what
// is left of reading the clock is lost in it.
#pragma once

#include <calib/program/layer.hpp>

namespace calib::probe {

// am::clock, or a simulated one.
template <class Clock>
concept clocks = requires(const Clock& clock, std::uint64_t ticks) {
  { clock.now() } -> std::same_as<std::uint64_t>;
  { clock.ns(ticks) } -> std::same_as<double>;
  { clock.cost_ns() } -> std::same_as<double>;  // of a reading
};

// What has passed, without the reading of the clock.
template <clocks Clock>
double since(const Clock& clock, std::uint64_t start) {
  return clock.ns(clock.now() - start) - clock.cost_ns();
}

// Request, answer, the answer has been read: time per round trip.
template <pings Layer, clocks Clock>
double rtt(Layer& layer, const Clock& clock, std::uint64_t trips) {
  const std::uint64_t start = clock.now();
  for (std::uint64_t i = 0; i < trips; ++i) layer.ping();
  return since(clock, start) / static_cast<double>(trips);
}

// Messages without an answer, then one with: from before the first to the answer to the last.
template <floods Layer, clocks Clock>
double flood(Layer& layer, const Clock& clock, std::uint64_t messages) {
  const std::uint64_t start = clock.now();
  for (std::uint64_t i = 0; i < messages; ++i) layer.post();
  layer.ping();
  return since(clock, start) / static_cast<double>(messages + 1);
}

// Requests that are all answered, as many on their way as the layer allows: time per pair.
template <asks Layer, clocks Clock>
double rr_flood(Layer& layer, const Clock& clock, std::uint64_t pairs) {
  const std::uint64_t start = clock.now();
  for (std::uint64_t i = 0; i < pairs; ++i) layer.ask();
  layer.drain();
  return since(clock, start) / static_cast<double>(pairs);
}

// A single round trip right after a flood has ended: what the flood leaves behind. The mean of
// some, each timed alone.
template <floods Layer, clocks Clock>
double rtt_after_flood(Layer& layer, const Clock& clock, std::uint64_t trips,
                       std::uint64_t messages) {
  double total = 0;
  for (std::uint64_t i = 0; i < trips; ++i) {
    for (std::uint64_t k = 0; k < messages; ++k) layer.post();
    layer.ping();
    const std::uint64_t start = clock.now();
    layer.ping();
    total += since(clock, start);
  }
  return total / static_cast<double>(trips);
}

// All pieces once: time per piece, and whether all of them came.
struct moved {
  double ns;
  std::uint64_t tallies;
};

template <stores Layer, clocks Clock>
moved store(Layer& layer, const Clock& clock, std::uint64_t pieces) {
  const std::uint64_t start = clock.now();
  for (std::uint64_t n = 0; n < pieces; ++n) layer.store(n);
  const std::uint64_t tallies = layer.settle_stores();
  return {since(clock, start) / static_cast<double>(pieces), tallies};
}

template <gets Layer, clocks Clock>
moved get(Layer& layer, const Clock& clock, std::uint64_t pieces) {
  const std::uint64_t start = clock.now();
  for (std::uint64_t n = 0; n < pieces; ++n) layer.get(n);
  const std::uint64_t tallies = layer.settle_gets();
  return {since(clock, start) / static_cast<double>(pieces), tallies};
}

// A poll that finds nothing: time per silent peer.
template <idles Layer, clocks Clock>
double idle_poll(Layer& layer, const Clock& clock, std::uint64_t polls) {
  const std::uint64_t start = clock.now();
  for (std::uint64_t i = 0; i < polls; ++i) layer.poll();
  return since(clock, start) / static_cast<double>(polls * layer.silent_peers());
}

}  // namespace calib::probe
