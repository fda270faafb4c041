// The LogP probes: requests with computation between them. Each probe takes one sample.
#pragma once

#include <calib/program/probes.hpp>

#include <algorithm>
#include <cstdint>

namespace calib::probe {

// A clock, and computation of a known length: calib::processor (cpu.hpp), or a simulated one.
template <class Processor>
concept processor_like = clock_like<Processor> &&
    requires(const Processor& cpu, std::uint64_t steps, double ns) {
  { cpu.steps_for(ns) } -> std::same_as<std::uint64_t>;
  cpu.compute(steps);
};

// Some layers widen their window when it is full. Fills the window until it stops growing; the
// round trip may bring the peer's permission to widen it.
template <logp_layer Layer>
void widen_window(Layer& layer) {
  std::uint64_t before = 0;
  for (std::uint64_t window = layer.window(); window > before; window = layer.window()) {
    before = window;
    layer.ping();
  }
}

// Completes all first-use work of the layer. Returns the time per request of a flood.
template <logp_layer Layer, processor_like Processor>
double warm_up_layer(Layer& layer, const Processor& cpu) {
  rtt(layer, cpu, 100);
  widen_window(layer);
  return rr_flood(layer, cpu, std::min<std::uint64_t>(layer.flood_length(), 10'000));
}

// Issues `messages` requests on an idle layer, `batches` times: nanoseconds per request, without
// the wait for replies.
template <request_layer Layer, processor_like Processor>
double issue(Layer& layer, const Processor& cpu, std::uint64_t messages, std::uint64_t batches,
             std::uint64_t steps) {
  double ns = 0;
  for (std::uint64_t b = 0; b < batches; ++b) {
    const std::uint64_t start = cpu.now();
    for (std::uint64_t i = 0; i < messages; ++i) {
      layer.request();
      cpu.compute(steps);
    }
    ns += elapsed_ns(cpu, start);
    layer.drain();
  }
  return ns / static_cast<double>(batches * messages);
}

// One copy of the instructions for the two probes below, whose times are compared: the times of two
// copies of this loop may differ by more than the two results do.
template <request_layer Layer, processor_like Processor>
[[gnu::noinline]] void issue_loop(Layer& layer, const Processor& cpu, std::uint64_t messages,
                                  std::uint64_t steps) {
  for (std::uint64_t i = 0; i < messages; ++i) {
    layer.request();
    cpu.compute(steps);
  }
}

// Issues requests right after others, by which the window is full.
template <request_layer Layer, processor_like Processor>
double steady_issue(Layer& layer, const Processor& cpu, std::uint64_t before,
                    std::uint64_t messages, std::uint64_t steps) {
  issue_loop(layer, cpu, before, steps);
  const std::uint64_t start = cpu.now();
  issue_loop(layer, cpu, messages, steps);
  const double ns = elapsed_ns(cpu, start);
  layer.drain();
  return ns / static_cast<double>(messages);
}

// Issues requests on an idle layer, and waits for the last reply.
template <request_layer Layer, processor_like Processor>
double answered_flood(Layer& layer, const Processor& cpu, std::uint64_t messages) {
  const std::uint64_t start = cpu.now();
  issue_loop(layer, cpu, messages, 0);
  layer.drain();
  return elapsed_ns(cpu, start) / static_cast<double>(messages);
}

// The time of the computation alone.
template <processor_like Processor>
double compute_time(const Processor& cpu, std::uint64_t count, std::uint64_t steps) {
  const std::uint64_t start = cpu.now();
  for (std::uint64_t i = 0; i < count; ++i) cpu.compute(steps);
  return elapsed_ns(cpu, start) / static_cast<double>(count);
}

template <processor_like Processor, class What>
double time_once(const Processor& cpu, What&& what) {
  const std::uint64_t start = cpu.now();
  what();
  return elapsed_ns(cpu, start);
}

}  // namespace calib::probe
