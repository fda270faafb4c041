// Measures the points that LogGP is fitted to: for pieces of several sizes the time of the sender's
// call (o), the gap between pieces (g), and the time until the arrival is confirmed (trip).
//
// Reported under these names, with OPERATION store, get or medium:
//   size/OPERATION/BYTES/o  size/OPERATION/BYTES/g  size/OPERATION/BYTES/trip
// and, of some sizes, for pieces that are in no cache before they are moved:
//   size/OPERATION/BYTES/uncached  the gap
#pragma once

#include <calib/program/caches.hpp>
#include <calib/program/issue_probes.hpp>
#include <calib/program/pieces.hpp>
#include <calib/program/sampling.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace calib {

// Moves pieces of one size, each at its own place in memory that is larger than a core's cache.
template <class Mover>
concept piece_mover = requires(Mover& mover, std::size_t bytes) {
  { mover.name() } -> std::convertible_to<std::string>;
  { mover.sizes() } -> std::convertible_to<std::vector<std::size_t>>;
  mover.set(bytes);
  mover.move();          // one piece; waits only for room
  mover.wait_for_all();  // until all pieces have arrived
  { mover.intact() } -> std::same_as<bool>;
};

// Returns to the first place; the first `bytes` are in no cache afterwards.
template <class Mover>
concept evicts_pieces = can_evict && requires(Mover& mover, std::size_t bytes) {
  mover.evict(bytes);
};

// The call for a piece, followed by computation, so that work beside that is no overhead.
template <piece_mover Mover, probe::processor_like Processor>
double time_call(Mover& mover, const Processor& cpu, std::uint64_t steps) {
  const double alone = probe::compute_time(cpu, 1, steps);
  const double with = probe::time_once(cpu, [&] {
    mover.move();
    cpu.compute(steps);
  });
  mover.wait_for_all();
  return with - alone;
}

template <piece_mover Mover, probe::processor_like Processor, class Sink>
class size_probe {
 public:
  size_probe(Mover& mover, const Processor& cpu, Sink& sink, const sample_plan& plan)
      : mover_(mover), cpu_(cpu), sink_(sink), plan_(plan) {}

  void measure() {
    touch_memory();
    for (const std::size_t bytes : mover_.sizes()) {
      mover_.set(bytes);
      const std::string name = "size/" + mover_.name() + '/' + std::to_string(bytes);
      time_trip();  // the first use of a size may take longer
      const double trip_ns = time_trip();
      const std::uint64_t pieces = pieces_per_sample(bytes);
      take_samples(sink_, gap_samples(bytes, trip_ns), name + "/g",
                   [&] { return time_gap(pieces); });
      take_samples(sink_, plan_.samples, name + "/trip", [&] {
        return mean_of(plan_.count_for(2 * trip_ns, 20), [&] { return time_trip(); });
      });
      take_samples(sink_, plan_.samples, name + "/o", [&] {
        return mean_of(plan_.count_for(3 * trip_ns, 20), [&] { return time_overhead(trip_ns); });
      });
      if (!mover_.intact()) sink_.report_loss(name);
    }
    if constexpr (evicts_pieces<Mover>) measure_uncached();
  }

 private:
  static constexpr std::uint64_t fewest_pieces = 4;  // of the shorter batch of time_gap

  // The first use of memory costs a page fault per page, and the next ones come from no cache. Not
  // by the largest pieces, whose copies may bypass the caches.
  void touch_memory() {
    constexpr std::size_t bytes = 16384;
    mover_.set(std::min(bytes, mover_.sizes().back()));
    repeat_until_steady([&] { return time_batch(piece_memory_bytes / bytes); });
  }

  // From 64 bytes to 256 KiB; fewer sizes, to save time. After all others, whose pieces have been
  // in caches for long.
  void measure_uncached() {
    for (std::size_t bytes = 64; bytes <= std::min(largest_piece, mover_.sizes().back());
         bytes *= 16) {
      mover_.set(bytes);
      const std::uint64_t pieces = std::clamp<std::uint64_t>(largest_piece / 2 / bytes, 4, 256);
      const std::string name = "size/" + mover_.name() + '/' + std::to_string(bytes) + "/uncached";
      take_samples(sink_, plan_.samples, name, [&] {
        mover_.evict(3 * pieces * bytes);
        return time_gap(pieces);
      });
      if (!mover_.intact()) sink_.report_loss(name);
    }
  }

  // G is the slope through the gaps of large pieces, each a difference of two times. Not where even
  // the fewest pieces make samples long.
  [[nodiscard]] unsigned gap_samples(std::size_t bytes, double trip_ns) const {
    constexpr std::size_t large = 16384;
    constexpr unsigned times_as_many = 12;
    const bool is_long = 3 * fewest_pieces * trip_ns > 2 * plan_.sample_ns;
    return bytes < large || is_long ? plan_.samples : times_as_many * plan_.samples;
  }

  double time_trip() { return time_batch(1); }

  double time_batch(std::uint64_t pieces) {
    return probe::time_once(cpu_, [&] {
      for (std::uint64_t i = 0; i < pieces; ++i) mover_.move();
      mover_.wait_for_all();
    });
  }

  // A number n for which n and 2 n pieces together take a sample (time_gap), at least a few. At
  // most half of the places, so that none is used again before its piece has been read.
  std::uint64_t pieces_per_sample(std::size_t bytes) {
    const std::uint64_t most =
        std::clamp<std::uint64_t>(piece_memory_bytes / 2 / bytes, fewest_pieces, 1000);
    std::uint64_t pieces = fewest_pieces;
    // Each iteration has more pieces and estimates their time better.
    for (int i = 0; i < 3; ++i) {
      const double each = time_batch(pieces) / static_cast<double>(pieces);
      pieces = std::max(plan_.count_for(3 * each, most), fewest_pieces);
    }
    return pieces;
  }

  // The difference between n and 2 n pieces cancels the call of the first and the trip of the last.
  double time_gap(std::uint64_t pieces) {
    const double some = time_batch(pieces);
    return (time_batch(2 * pieces) - some) / static_cast<double>(pieces);
  }

  // On an idle layer.
  double time_overhead(double ns) { return time_call(mover_, cpu_, cpu_.steps_for(ns)); }

  Mover& mover_;
  const Processor& cpu_;
  Sink& sink_;
  sample_plan plan_;
};

}  // namespace calib
