// What a layer is: something that carries messages between two processes, as a probe sees it. A
// probe is a template over layers, so nothing virtual stands in a timed loop.
//
// A layer offers as many of these concepts as it can; a layer whose other process does not answer
// by itself (as handlers do) also `serves`: it is told what will come.
#pragma once

#include <calib/program/bulk.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace calib {

template <class Layer>
concept checks = requires(const Layer& layer) {
  // All that was sent so far has been read over there, and all answers here.
  { layer.intact() } -> std::same_as<bool>;
};

template <class Layer>
concept pings = checks<Layer> && requires(Layer& layer) {
  layer.ping();  // a request and its answer; returns when the answer has been read
};

template <class Layer>
concept floods = pings<Layer> && requires(Layer& layer) {
  layer.post();  // a message without an answer; waits only for room
  // How many make one sample: at least 50 windows and 20 rings.
  { layer.flood_length() } -> std::convertible_to<std::uint64_t>;
};

template <class Layer>
concept asks = checks<Layer> && requires(Layer& layer) {
  layer.ask();    // a request that will be answered; waits only for room
  layer.drain();  // returns when all answers have been read
  { layer.flood_length() } -> std::convertible_to<std::uint64_t>;
};

// What LogP is read from.
template <class Layer>
concept signs = pings<Layer> && asks<Layer> && requires(Layer& layer) {
  layer.ask_blind();  // a request, without a look at what has come; while there is room for it
  layer.take();       // a look at what has come, which reads an answer that is there
  { layer.window() } -> std::convertible_to<std::uint64_t>;  // requests without an answer, at most
};

// Pieces of data that travel as messages do.
template <class Layer>
concept ships = requires(Layer& layer, std::size_t bytes, const std::byte* piece) {
  layer.prepare(bytes);  // the next pieces have so many; none is under way
  layer.ship(piece);     // waits only for room; the piece stays as it is until then
  // Returns when all are there, with what the numbers in front of all of them sum up to.
  { layer.settle_shipped() } -> std::same_as<std::uint64_t>;
};

template <class Layer>
concept idles = requires(Layer& layer) {
  layer.poll();  // a look that finds nothing
  { layer.silent_peers() } -> std::convertible_to<std::uint64_t>;
};

// Bulk data. `set` says what, at both sides; then pieces 0 to count() - 1 move, as many at a time
// as the layer allows.
template <class Layer>
concept moves = requires(Layer& layer, const bulk& what) {
  layer.set(what);
  { layer.memory() } -> std::same_as<cargo&>;
};

template <class Layer>
concept stores = moves<Layer> && requires(Layer& layer, std::uint64_t n) {
  layer.store(n);  // from memory(); waits only for room
  // Returns when the other side has said that all have come, with the sum of its tallies.
  { layer.settle_stores() } -> std::same_as<std::uint64_t>;
};

template <class Layer>
concept gets = moves<Layer> && requires(Layer& layer, std::uint64_t n) {
  layer.get(n);  // into memory(); waits only for room
  // Returns when all have come, with the sum of their tallies.
  { layer.settle_gets() } -> std::same_as<std::uint64_t>;
};

template <class Layer>
concept serves_pings = requires(Layer& layer, std::uint64_t count) {
  layer.serve_pings(count);
};
template <class Layer>
concept serves_posts = requires(Layer& layer, std::uint64_t count) {
  layer.serve_posts(count);
};
template <class Layer>
concept serves_asks = requires(Layer& layer, std::uint64_t count) {
  layer.serve_asks(count);
};

template <class Layer>
concept serves_stores = requires(Layer& layer) {
  layer.serve_stores();  // of one sample
};
template <class Layer>
concept serves_gets = requires(Layer& layer) {
  layer.serve_gets();
};

}  // namespace calib
