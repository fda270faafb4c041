// Takes the time of the exchange that LogGP is held against (calib/exchange.hpp): from before its
// first piece until all are known to be there, both ways. It is told as exchange/64.
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
concept exchanges = requires(Layer& layer, const exchanged& piece) {
  layer.move(piece);  // to or from a place that was not in use for long; waits only for room
  layer.settle();     // until all pieces are there
  { layer.intact() } -> std::same_as<bool>;
};

// Of the kind of which the fewest bytes move, but for requests, which have no place over there.
constexpr std::size_t least_bytes(const std::array<exchanged, exchange_length>& pieces) {
  std::size_t stored = 0;
  std::size_t got = 0;
  for (const exchanged& one : pieces) {
    stored += one.what == operation::store ? one.bytes : 0;
    got += one.what == operation::get ? one.bytes : 0;
  }
  return std::min(stored, got);
}

template <exchanges Layer, probe::stages Stage, class Sink>
void take_exchange(Layer& layer, const Stage& stage, Sink& sink, const thoroughness& how) {
  constexpr auto pieces = exchange();
  const auto all = [&] {
    return probe::once(stage, [&] {
      for (const exchanged& piece : pieces) layer.move(piece);
      layer.settle();
    });
  };
  // Once round the memory, as pieces of one size go before they are timed.
  for (std::size_t moved = 0; moved < pieces_room; moved += least_bytes(pieces)) all();
  const std::string name = "exchange/" + std::to_string(pieces.size());
  take_samples(sink, how.samples, name, all);
  if (!layer.intact()) sink.lost(name);
}

}  // namespace calib
