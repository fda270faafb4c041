// COMB (Communication Offload MPI-based Benchmark) between two processes: both methods at each size
// and depth. The first interval, and the first amount of work, is none at all.
#pragma once

#include <calib/program/comb_options.hpp>
#include <calib/program/comb_polling.hpp>
#include <calib/program/comb_pww.hpp>

namespace calib {

inline sample_plan plan_of(const comb_options& opts) {
  return {opts.samples, opts.sample_us * 1e3};
}

// At the worker.
template <comb_messages Library, probe::processor_like Processor, class Sink>
void measure_comb(Library& library, const Processor& cpu, Sink& sink, const comb_options& opts) {
  const sample_plan plan = plan_of(opts);
  library.barrier();  // then both processes have started
  measure_iteration(cpu, sink, plan, "iteration/before");
  for (const std::uint64_t bytes : opts.bytes)
    for (const std::uint64_t all : opts.depths) {
      const auto depth = static_cast<unsigned>(all);
      if (!opts.intervals.empty()) {
        comb_polling polling(library, cpu, sink, plan, bytes, depth);
        polling.measure(0);
        for (const std::uint64_t interval : opts.intervals) polling.measure(interval);
      }
      if (opts.works.empty()) continue;
      comb_pww pww(library, cpu, sink, plan, bytes, depth);
      for (const bool with_test : {false, true}) {
        if (with_test && !opts.with_test) continue;
        pww.measure(0, with_test);
        for (const std::uint64_t work : opts.works) pww.measure(work, with_test);
      }
    }
  measure_iteration(cpu, sink, plan, "iteration/after");
}

// At the other process.
template <comb_messages Library, class Sink>
void serve_comb(Library& library, Sink& sink, const comb_options& opts) {
  const sample_plan plan = plan_of(opts);
  library.barrier();
  const std::size_t works = (opts.works.size() + 1) * (opts.with_test ? 2 : 1);
  for (const std::uint64_t bytes : opts.bytes)
    for (const std::uint64_t all : opts.depths) {
      const auto depth = static_cast<unsigned>(all);
      if (!opts.intervals.empty())
        serve_polling(library, sink, plan, bytes, depth, opts.intervals.size() + 1);
      if (!opts.works.empty()) serve_pww(library, sink, plan, bytes, depth, works);
    }
}

}  // namespace calib
