// Measures a round trip to a peer that sleeps, because nothing has come for longer than it spins.
// Reported as wake_up. The requester polls, so that nothing has to wake it.
#pragma once

#include <calib/program/issue_probes.hpp>
#include <calib/program/sampling.hpp>

#include <cstdint>

namespace calib {

template <logp_layer Layer, probe::processor_like Processor, class Sink>
void measure_wake_up(Layer& layer, const Processor& cpu, Sink& sink, const sample_plan& plan) {
  constexpr double until_asleep_ns = 1e6;
  const std::uint64_t steps = cpu.steps_for(until_asleep_ns);
  take_samples(sink, plan.samples, "wake_up", [&] {
    layer.ping();
    cpu.compute(steps);
    return probe::time_once(cpu, [&] {
      layer.request();
      layer.receive_reply();
    });
  });
}

}  // namespace calib
