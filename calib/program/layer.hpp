// A layer carries messages between two processes. A probe is a template over layers, so a timed
// loop has no virtual calls.
//
// A layer models as many of these concepts as it can. If no handlers reply in its responder, it
// also models the concepts `serves_...`, whose calls receive the number of messages to expect.
#pragma once

#include <calib/program/bulk.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace calib {

template <class Layer>
concept checked_layer = requires(const Layer& layer) {
  // The peer has read all messages so far, and this side all replies.
  { layer.intact() } -> std::same_as<bool>;
};

template <class Layer>
concept ping_layer = checked_layer<Layer> && requires(Layer& layer) {
  layer.ping();  // a request and its reply; returns when the reply has been read
};

template <class Layer>
concept flood_layer = ping_layer<Layer> && requires(Layer& layer) {
  layer.post();  // a message without a reply; waits only for room
  // Messages of one sample: at least 50 windows and 20 rings.
  { layer.flood_length() } -> std::convertible_to<std::uint64_t>;
};

template <class Layer>
concept request_layer = checked_layer<Layer> && requires(Layer& layer) {
  layer.request();  // waits only for room
  layer.drain();    // returns when all replies have been read
  { layer.flood_length() } -> std::convertible_to<std::uint64_t>;
};

template <class Layer>
concept logp_layer = ping_layer<Layer> && request_layer<Layer> && requires(Layer& layer) {
  layer.request_without_poll();                              // only while the window has room
  layer.receive_reply();                                     // of a request whose reply has arrived
  { layer.window() } -> std::convertible_to<std::uint64_t>;  // the limit of outstanding requests
};

// Pieces of data as messages.
template <class Layer>
concept piece_layer = requires(Layer& layer, std::size_t bytes, const std::byte* piece) {
  layer.set_piece_bytes(bytes);  // of the next pieces; none is in flight
  layer.send_piece(piece);       // waits only for room; at most half of the places are in flight
  // Returns when all have arrived, with the sum of the numbers of all pieces so far.
  { layer.wait_for_pieces() } -> std::same_as<std::uint64_t>;
};

template <class Layer>
concept idle_layer = requires(Layer& layer) {
  layer.poll();  // finds no message
  { layer.silent_peers() } -> std::convertible_to<std::uint64_t>;
};

// Bulk data. Both sides call `set`; then pieces 0 to count() - 1 move, as many at a time as the
// layer allows.
template <class Layer>
concept bulk_layer = requires(Layer& layer, const bulk_spec& what) {
  layer.set(what);
  { layer.memory() } -> std::same_as<bulk_buffer&>;
};

template <class Layer>
concept store_layer = bulk_layer<Layer> && requires(Layer& layer, std::uint64_t n) {
  layer.store(n);  // from memory(); waits only for room
  // Returns when the peer has confirmed the arrival of all, with the sum of its checksums.
  { layer.wait_for_stores() } -> std::same_as<std::uint64_t>;
};

template <class Layer>
concept get_layer = bulk_layer<Layer> && requires(Layer& layer, std::uint64_t n) {
  layer.get(n);  // into memory(); waits only for room
  // Returns when all have arrived, with the sum of their checksums.
  { layer.wait_for_gets() } -> std::same_as<std::uint64_t>;
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
concept serves_requests = requires(Layer& layer, std::uint64_t count) {
  layer.serve_requests(count);
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
