// Requests with a payload: one side sends and the other reads, or both do both. Before each message
// the sender writes a word in each cache line of its buffer, and the receiver reads a word of each
// line, so no layer gains from lines that are unchanged or unread.
#pragma once

#include <calib/program/bulk.hpp>
#include <calib/program/layer.hpp>
#include <calib/program/probes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace calib {

inline constexpr std::size_t medium_sizes[] = {64, 1024, 4096, 16384};
inline constexpr std::size_t largest_medium = 16384;

struct medium_spec {
  std::size_t bytes;    // of a message, a multiple of line_bytes
  bool bidirectional;   // the responder sends as many
  std::uint64_t count;  // of one direction in a sample

  // The name that a program reports to the driver: medium/4096/oneway.
  [[nodiscard]] std::string name() const {
    return "medium/" + std::to_string(bytes) + (bidirectional ? "/bothways" : "/oneway");
  }
};

// Many times the number of messages in flight, so that start and end do not count; at most 8 MiB.
constexpr std::uint64_t medium_count(std::size_t bytes, unsigned windows) {
  return std::min<std::uint64_t>(std::uint64_t{256} * windows, (std::size_t{8} << 20) / bytes);
}

// Line k of message n starts with n + k.
inline void pack(std::byte* at, std::size_t bytes, std::uint64_t n) noexcept {
  for (std::size_t from = 0; from < bytes; from += line_bytes, ++n)
    std::memcpy(at + from, &n, sizeof n);
}

// The sum of these words. The payload may have any alignment.
inline std::uint64_t unpack(const std::byte* at, std::size_t bytes) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t from = 0; from < bytes; from += line_bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + from, sizeof word);
    sum += word;
  }
  return sum;
}

// The sum over the messages of a sample that begins with number `first`.
constexpr std::uint64_t sum_of(const medium_spec& what, std::uint64_t first) {
  const std::uint64_t lines = what.bytes / line_bytes;
  const std::uint64_t numbers = what.count * first + what.count * (what.count - 1) / 2;
  return lines * numbers + what.count * (lines * (lines - 1) / 2);
}

// Contiguous buffers, each on cache lines of its own.
class message_buffers {
 public:
  void set(std::size_t count, std::size_t bytes) {
    lines_ = bytes / line_bytes;
    memory_.resize(count * lines_);
  }
  std::byte* operator[](std::size_t slot) noexcept { return memory_[slot * lines_].bytes; }

 private:
  struct alignas(line_bytes) line {
    std::byte bytes[line_bytes];
  };
  std::vector<line> memory_;
  std::size_t lines_ = 0;
};

// Both sides call `set` while no message is in flight. Both continue the numbers of the messages
// from one sample to the next.
template <class Layer>
concept medium_layer = checked_layer<Layer> && requires(Layer& layer, const medium_spec& what) {
  layer.set(what);
  layer.wait_until_ready();  // returns when the peer is ready to receive
  layer.send_medium();       // packs and sends; reads what has arrived; waits only for room
  // Returns when the peer has read all messages and, if bidirectional, this side has, too.
  layer.wait_for_mediums();
};

template <class Layer>
concept serves_mediums = requires(Layer& layer) {
  layer.serve_mediums();  // of one sample
};

namespace probe {

// From before the first message until the peer has confirmed that it has read all: time per message
// of one direction. If bidirectional, the peer starts at the arrival of the first message.
template <medium_layer Layer, clock_like Clock>
double medium(Layer& layer, const Clock& clock, std::uint64_t messages) {
  layer.wait_until_ready();
  const std::uint64_t start = clock.now();
  for (std::uint64_t i = 0; i < messages; ++i) layer.send_medium();
  layer.wait_for_mediums();
  return elapsed_ns(clock, start) / static_cast<double>(messages);
}

}  // namespace probe
}  // namespace calib
