// Measures the exchange that LogGP is checked against (calib/exchange.hpp), from before the first
// piece until all arrivals are confirmed, in both directions. Reported as exchange/64, and as
// exchange/64/uncached if no piece is in a cache at the start.
#pragma once

#include <calib/exchange.hpp>
#include <calib/program/caches.hpp>
#include <calib/program/issue_probes.hpp>
#include <calib/program/pieces.hpp>
#include <calib/program/sampling.hpp>

#include <string>

namespace calib {

template <class Layer>
concept exchange_layer = requires(Layer& layer, const exchange_piece& piece) {
  layer.move(piece);     // in a place that was not used recently; waits only for room
  layer.wait_for_all();  // until all pieces have arrived
  { layer.intact() } -> std::same_as<bool>;
};

// An exchange after which nothing that it needs is in a cache.
template <class Layer>
concept evictable = can_evict && requires(Layer& layer) { layer.evict(); };

template <exchange_layer Layer, probe::processor_like Processor, class Sink>
void measure_exchange(Layer& layer, const Processor& cpu, Sink& sink, const sample_plan& plan) {
  constexpr auto pieces = exchange();
  const auto all = [&] {
    return probe::time_once(cpu, [&] {
      for (const exchange_piece& piece : pieces) layer.move(piece);
      layer.wait_for_all();
    });
  };
  constexpr std::size_t passed = exchanged_bytes(operation::get);
  repeat_until_steady([&] { return mean_of(piece_memory_bytes / 2 / passed, all); });
  const std::string name = "exchange/" + std::to_string(pieces.size());
  take_samples(sink, plan.samples, name, all);
  if constexpr (evictable<Layer>)
    take_samples(sink, plan.samples, name + "/uncached", [&] {
      layer.evict();
      return all();
    });
  if (!layer.intact()) sink.report_loss(name);
}

}  // namespace calib
