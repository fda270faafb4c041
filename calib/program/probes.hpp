// The probes: each takes one sample and returns nanoseconds. A sample is a batch, so that the
// remaining error of reading the clock is negligible.
#pragma once

#include <calib/program/layer.hpp>

namespace calib::probe {

// am::clock, or a simulated one.
template <class Clock>
concept clock_like = requires(const Clock& clock, std::uint64_t ticks) {
  { clock.now() } -> std::same_as<std::uint64_t>;
  { clock.ns(ticks) } -> std::same_as<double>;
  { clock.cost_ns() } -> std::same_as<double>;  // of one reading
};

// The time since `start`, minus the cost of reading the clock.
template <clock_like Clock>
double elapsed_ns(const Clock& clock, std::uint64_t start) {
  return clock.ns(clock.now() - start) - clock.cost_ns();
}

// Request, reply, reply read: time per round trip.
template <ping_layer Layer, clock_like Clock>
double rtt(Layer& layer, const Clock& clock, std::uint64_t trips) {
  const std::uint64_t start = clock.now();
  for (std::uint64_t i = 0; i < trips; ++i) layer.ping();
  return elapsed_ns(clock, start) / static_cast<double>(trips);
}

// Messages without a reply, then one with: from before the first to the reply to the last.
template <flood_layer Layer, clock_like Clock>
double flood(Layer& layer, const Clock& clock, std::uint64_t messages) {
  const std::uint64_t start = clock.now();
  for (std::uint64_t i = 0; i < messages; ++i) layer.post();
  layer.ping();
  return elapsed_ns(clock, start) / static_cast<double>(messages + 1);
}

// Requests with replies, as many in flight as the layer allows: time per request and reply.
template <request_layer Layer, clock_like Clock>
double rr_flood(Layer& layer, const Clock& clock, std::uint64_t pairs) {
  const std::uint64_t start = clock.now();
  for (std::uint64_t i = 0; i < pairs; ++i) layer.request();
  layer.drain();
  return elapsed_ns(clock, start) / static_cast<double>(pairs);
}

// A single round trip right after a flood, to see what the flood leaves behind. The mean of several
// trips, each timed alone.
template <flood_layer Layer, clock_like Clock>
double rtt_after_flood(Layer& layer, const Clock& clock, std::uint64_t trips,
                       std::uint64_t messages) {
  double total = 0;
  for (std::uint64_t i = 0; i < trips; ++i) {
    for (std::uint64_t k = 0; k < messages; ++k) layer.post();
    layer.ping();
    const std::uint64_t start = clock.now();
    layer.ping();
    total += elapsed_ns(clock, start);
  }
  return total / static_cast<double>(trips);
}

// All pieces once: time per piece, and the checksum of what arrived.
struct bulk_sample {
  double ns;
  std::uint64_t checksum;
};

template <store_layer Layer, clock_like Clock>
bulk_sample store(Layer& layer, const Clock& clock, std::uint64_t pieces) {
  const std::uint64_t start = clock.now();
  for (std::uint64_t n = 0; n < pieces; ++n) layer.store(n);
  const std::uint64_t checksum = layer.wait_for_stores();
  return {elapsed_ns(clock, start) / static_cast<double>(pieces), checksum};
}

template <get_layer Layer, clock_like Clock>
bulk_sample get(Layer& layer, const Clock& clock, std::uint64_t pieces) {
  const std::uint64_t start = clock.now();
  for (std::uint64_t n = 0; n < pieces; ++n) layer.get(n);
  const std::uint64_t checksum = layer.wait_for_gets();
  return {elapsed_ns(clock, start) / static_cast<double>(pieces), checksum};
}

// A poll that finds no message: time per silent peer.
template <idle_layer Layer, clock_like Clock>
double idle_poll(Layer& layer, const Clock& clock, std::uint64_t polls) {
  const std::uint64_t start = clock.now();
  for (std::uint64_t i = 0; i < polls; ++i) layer.poll();
  return elapsed_ns(clock, start) / static_cast<double>(polls * layer.silent_peers());
}

}  // namespace calib::probe
