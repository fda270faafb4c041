// Measures the exchange that LogGP is checked against (calib/exchange.hpp), from before the first
// piece until all arrivals are confirmed, in both directions. Reported as exchange/64.
#pragma once

#include <calib/exchange.hpp>
#include <calib/program/issue_probes.hpp>
#include <calib/program/pieces.hpp>
#include <calib/program/sampling.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace calib {

template <class Layer>
concept exchange_layer = requires(Layer& layer, const exchange_piece& piece) {
  layer.move(piece);     // in a place that was not used recently; waits only for room
  layer.wait_for_all();  // until all pieces have arrived
  { layer.intact() } -> std::same_as<bool>;
};

// The bytes of the stores or of the gets, whichever are fewer. Requests use no remote memory.
constexpr std::size_t fewest_bytes(const std::array<exchange_piece, exchange_length>& pieces) {
  std::size_t stored = 0;
  std::size_t got = 0;
  for (const exchange_piece& one : pieces) {
    stored += one.what == operation::store ? one.bytes : 0;
    got += one.what == operation::get ? one.bytes : 0;
  }
  return std::min(stored, got);
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
  // Once through the memory, as the size probe does before it measures.
  for (std::size_t moved = 0; moved < piece_memory_bytes; moved += fewest_bytes(pieces)) all();
  const std::string name = "exchange/" + std::to_string(pieces.size());
  take_samples(sink, plan.samples, name, all);
  if (!layer.intact()) sink.report_loss(name);
}

}  // namespace calib
