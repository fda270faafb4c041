// What a layer is: something that carries messages between two processes, as a probe sees it. A
// probe is a template over layers, so nothing virtual stands in a timed loop.
//
// A layer offers as many of these concepts as it can; a layer whose other process does not answer
// by itself (as handlers do) also `serves`: it is told what will come.
#pragma once

#include <concepts>
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

template <class Layer>
concept idles = requires(Layer& layer) {
  layer.poll();  // a look that finds nothing
  { layer.silent_peers() } -> std::convertible_to<std::uint64_t>;
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

}  // namespace calib
