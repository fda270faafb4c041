// The probes: each takes one sample and returns nanoseconds. A sample is a batch, so that reading
// the clock (some 25 ns) is lost in it.
#pragma once

#include <am/clock.hpp>
#include <calib/program/layer.hpp>

namespace calib::probe {

// Request, answer, the answer has been read: time per round trip.
template <pings Layer>
double rtt(Layer& layer, const am::clock& clock, std::uint64_t trips) {
  const std::uint64_t start = clock.now();
  for (std::uint64_t i = 0; i < trips; ++i) layer.ping();
  return clock.ns(clock.now() - start) / static_cast<double>(trips);
}

// Messages without an answer, then one with: from before the first to the answer to the last.
template <floods Layer>
double flood(Layer& layer, const am::clock& clock, std::uint64_t messages) {
  const std::uint64_t start = clock.now();
  for (std::uint64_t i = 0; i < messages; ++i) layer.post();
  layer.ping();
  return clock.ns(clock.now() - start) / static_cast<double>(messages + 1);
}

// Requests that are all answered, as many on their way as the layer allows: time per pair.
template <asks Layer>
double rr_flood(Layer& layer, const am::clock& clock, std::uint64_t pairs) {
  const std::uint64_t start = clock.now();
  for (std::uint64_t i = 0; i < pairs; ++i) layer.ask();
  layer.drain();
  return clock.ns(clock.now() - start) / static_cast<double>(pairs);
}

// A single round trip right after a flood has ended: what the flood leaves behind. The mean of
// some, each timed alone.
template <floods Layer>
double rtt_after_flood(Layer& layer, const am::clock& clock, std::uint64_t trips,
                       std::uint64_t messages) {
  double total = 0;
  for (std::uint64_t i = 0; i < trips; ++i) {
    for (std::uint64_t k = 0; k < messages; ++k) layer.post();
    layer.ping();
    const std::uint64_t start = clock.now();
    layer.ping();
    total += clock.ns(clock.now() - start);
  }
  return total / static_cast<double>(trips);
}

// All pieces once: time per piece, and whether all of them came.
struct moved {
  double ns;
  std::uint64_t tallies;
};

template <stores Layer>
moved store(Layer& layer, const am::clock& clock, std::uint64_t pieces) {
  const std::uint64_t start = clock.now();
  for (std::uint64_t n = 0; n < pieces; ++n) layer.store(n);
  const std::uint64_t tallies = layer.settle_stores();
  return {clock.ns(clock.now() - start) / static_cast<double>(pieces), tallies};
}

template <gets Layer>
moved get(Layer& layer, const am::clock& clock, std::uint64_t pieces) {
  const std::uint64_t start = clock.now();
  for (std::uint64_t n = 0; n < pieces; ++n) layer.get(n);
  const std::uint64_t tallies = layer.settle_gets();
  return {clock.ns(clock.now() - start) / static_cast<double>(pieces), tallies};
}

// A poll that finds nothing: time per silent peer.
template <idles Layer>
double idle_poll(Layer& layer, const am::clock& clock, std::uint64_t polls) {
  const std::uint64_t start = clock.now();
  for (std::uint64_t i = 0; i < polls; ++i) layer.poll();
  return clock.ns(clock.now() - start) / static_cast<double>(polls * layer.silent_peers());
}

}  // namespace calib::probe
