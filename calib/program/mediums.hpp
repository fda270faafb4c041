// Requests with a payload: one side sends and the other reads, or both send and read at once. Every
// message is packed before it is sent, a word in each line of the sender's own buffer, and a word
// of each line of what has come is read: nobody gains by lines that have not changed or that nobody
// wants.
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

struct mediums {
  std::size_t bytes;    // of a message, whole lines
  bool both_ways;       // the answering side sends as many
  std::uint64_t count;  // of one direction, in a sample

  // medium/4096/oneway: how a program names it to the driver.
  [[nodiscard]] std::string name() const {
    return "medium/" + std::to_string(bytes) + (both_ways ? "/bothways" : "/oneway");
  }
};

// So many times what may be under way that neither the first nor the last of them count, and no
// more than 8 MiB.
constexpr std::uint64_t mediums_of(std::size_t bytes, unsigned windows) {
  return std::min<std::uint64_t>(std::uint64_t{256} * windows, (std::size_t{8} << 20) / bytes);
}

// Line k of message n has n + k in front.
inline void pack(std::byte* at, std::size_t bytes, std::uint64_t n) noexcept {
  for (std::size_t from = 0; from < bytes; from += line_bytes, ++n)
    std::memcpy(at + from, &n, sizeof n);
}

// What the reader adds up. A layer may hand out a payload that lies anywhere.
inline std::uint64_t unpack(const std::byte* at, std::size_t bytes) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t from = 0; from < bytes; from += line_bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + from, sizeof word);
    sum += word;
  }
  return sum;
}

// What the messages of a sample add up to, the first of which is number `first`.
constexpr std::uint64_t sum_of(const mediums& what, std::uint64_t first) {
  const std::uint64_t lines = what.bytes / line_bytes;
  const std::uint64_t numbers = what.count * first + what.count * (what.count - 1) / 2;
  return lines * numbers + what.count * (lines * (lines - 1) / 2);
}

// So many buffers side by side, each on lines of its own.
class buffers {
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

// `set` says what, at both sides, while nothing is under way. Both number the messages of a sample
// on from those of the one before.
template <class Layer>
concept sends_mediums = checks<Layer> && requires(Layer& layer, const mediums& what) {
  layer.set(what);
  layer.meet();         // returns when the other side is awake and ready to receive
  layer.send_medium();  // packs and sends; reads what has come, if any may; waits only for room
  // Returns when all have been read over there and, both ways, as many here.
  layer.settle_mediums();
};

template <class Layer>
concept serves_mediums = requires(Layer& layer) {
  layer.serve_mediums();  // of one sample
};

namespace probe {

// From before the first message to the word that all have been read: time per message of one
// direction. Both ways the other side begins when the first message comes.
template <sends_mediums Layer, clocks Clock>
double medium(Layer& layer, const Clock& clock, std::uint64_t messages) {
  layer.meet();
  const std::uint64_t start = clock.now();
  for (std::uint64_t i = 0; i < messages; ++i) layer.send_medium();
  layer.settle_mediums();
  return since(clock, start) / static_cast<double>(messages);
}

}  // namespace probe
}  // namespace calib
