// Measures the exchange that LogGP is checked against (calib/exchange.hpp), from before the first
// piece until all arrivals are confirmed, in both directions. Reported as exchange/64, and as
// exchange/64/uncached if no piece is in a cache at the start.
//
// And the gaps of large stores, of gets, and of pairs of one store and one get, which show whether
// the two directions take turns:  both_ways/store  both_ways/get  both_ways/both
#pragma once

#include <calib/exchange.hpp>
#include <calib/program/caches.hpp>
#include <calib/program/issue_probes.hpp>
#include <calib/program/pieces.hpp>
#include <calib/program/sampling.hpp>

#include <initializer_list>
#include <string>
#include <vector>

namespace calib {

template <class Layer>
concept exchange_layer = requires(Layer& layer, const exchange_piece& piece) {
  layer.move(piece);     // in a place that was not used recently; waits only for room
  layer.wait_for_all();  // until all pieces have arrived
  { layer.intact() } -> std::same_as<bool>;
};

// An exchange after which nothing that it needs is in a cache.
template <class Layer>
concept evictable = can_evict && requires(Layer& layer) {
  layer.evict();
};

// Each sample has all three gaps, so that what disturbs one disturbs the others.
template <exchange_layer Layer, probe::processor_like Processor, class Sink>
void measure_both_ways(Layer& layer, const Processor& cpu, Sink& sink, const sample_plan& plan) {
  constexpr std::size_t bytes = 131072;
  constexpr std::uint64_t some = 4;
  const auto time_of = [&](std::uint64_t count, std::initializer_list<operation> kinds) {
    return probe::time_once(cpu, [&] {
      for (std::uint64_t i = 0; i < count; ++i)
        for (const operation what : kinds) layer.move({what, bytes});
      layer.wait_for_all();
    });
  };
  // The difference between n and 2 n cancels the first call and the last trip.
  const auto time_gap = [&](std::initializer_list<operation> kinds) {
    const double first = time_of(some, kinds);
    return (time_of(2 * some, kinds) - first) / static_cast<double>(some);
  };
  std::vector<double> stores, gets, both;
  sink.begin("both_ways");
  cpu_states states(sink);
  for (unsigned i = 0; i < plan.samples; ++i) {
    stores.push_back(time_gap({operation::store}));
    gets.push_back(time_gap({operation::get}));
    both.push_back(time_gap({operation::store, operation::get}));
    states.take();
  }
  const auto report = [&](const std::string& name, const std::vector<double>& gaps) {
    sink.values(name, gaps);
    states.report(name);
  };
  report("both_ways/store", stores);
  report("both_ways/get", gets);
  report("both_ways/both", both);
}

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
  measure_both_ways(layer, cpu, sink, plan);
  if constexpr (evictable<Layer>)
    take_samples(sink, plan.samples, name + "/uncached", [&] {
      layer.evict();
      return all();
    });
  if (!layer.intact()) sink.report_loss(name);
}

}  // namespace calib
