// The work of COMB: iterations that use registers alone (processor::compute), and what one takes
// without messages.
#pragma once

#include <calib/program/issue_probes.hpp>
#include <calib/program/sampling.hpp>

#include <cstdint>
#include <string>

namespace calib {

// The time of `pieces` times `iterations`, in ns.
template <probe::processor_like Processor>
double time_work(const Processor& cpu, std::uint64_t iterations, std::uint64_t pieces) {
  return probe::time_once(cpu, [&] {
    for (std::uint64_t i = 0; i < pieces; ++i) cpu.compute(iterations);
  });
}

// Reports what an iteration takes, in ns. Taken before all else and again after it, it shows
// whether the processor kept its speed.
template <probe::processor_like Processor, class Sink>
void measure_iteration(const Processor& cpu, Sink& sink, const sample_plan& plan,
                       const std::string& name) {
  const std::uint64_t iterations = cpu.steps_for(plan.sample_ns) + 1;
  take_samples(sink, plan.samples, name,
               [&] { return time_work(cpu, iterations, 1) / static_cast<double>(iterations); });
}

}  // namespace calib
