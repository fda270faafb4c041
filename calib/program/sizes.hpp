// Takes the points from which LogGP is read: for pieces of several sizes what the sender's call
// takes (o), how close they follow each other (g), and when one is there (T).
//
// It is told under these names, OPERATION being store, get or medium:
//   size/OPERATION/BYTES/o  size/OPERATION/BYTES/g  size/OPERATION/BYTES/trip
#pragma once

#include <calib/program/issue_probes.hpp>
#include <calib/program/sampling.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace calib {

// Pieces of some size, each in a place of its own in memory that is larger than a core's cache.
template <class Mover>
concept moves_pieces = requires(Mover& mover, std::size_t bytes) {
  { mover.name() } -> std::convertible_to<std::string>;
  { mover.sizes() } -> std::convertible_to<std::vector<std::size_t>>;
  mover.set(bytes);
  mover.move();    // one piece; waits only for room
  mover.settle();  // until all pieces are there
  { mover.intact() } -> std::same_as<bool>;
};

template <moves_pieces Mover, probe::stages Stage, class Sink>
class sizes {
 public:
  sizes(Mover& mover, const Stage& stage, Sink& sink, const thoroughness& how)
      : mover_(mover), stage_(stage), sink_(sink), how_(how) {}

  void take() {
    for (const std::size_t bytes : mover_.sizes()) {
      mover_.set(bytes);
      const std::string name = "size/" + mover_.name() + '/' + std::to_string(bytes);
      trip();  // the first of a size may prepare more than itself
      const double once = trip();
      const std::uint64_t few = how_.count_for(once, 16);
      flood(few);
      const std::uint64_t pieces = how_.count_for(std::max(flood(few), 1.0), 1000);
      take_samples(sink_, how_.samples, name + "/g", [&] { return flood(pieces); });
      take_samples(sink_, how_.samples, name + "/trip",
                   [&] { return mean(how_.count_for(2 * once, 20), [&] { return trip(); }); });
      take_samples(sink_, how_.samples, name + "/o", [&] {
        return mean(how_.count_for(3 * once, 20), [&] { return overhead(once); });
      });
      if (!mover_.intact()) sink_.lost(name);
    }
  }

 private:
  double trip() {
    return probe::once(stage_, [&] {
      mover_.move();
      mover_.settle();
    });
  }

  // What asking whether all are there takes by itself goes off.
  double flood(std::uint64_t pieces) {
    const double asking = probe::once(stage_, [&] { mover_.settle(); });
    const double all = probe::once(stage_, [&] {
      for (std::uint64_t i = 0; i < pieces; ++i) mover_.move();
      mover_.settle();
    });
    return (all - asking) / static_cast<double>(pieces);
  }

  // The call from quiet, with some computation behind it, so that what a processor does beside that
  // is no overhead.
  double overhead(double ns) {
    const std::uint64_t steps = stage_.steps_for(ns);
    const double alone = probe::delay(stage_, 1, steps);
    const double with = probe::once(stage_, [&] {
      mover_.move();
      stage_.compute(steps);
    });
    mover_.settle();
    return with - alone;
  }

  template <class Take>
  static double mean(std::uint64_t count, Take&& take) {
    double sum = 0;
    for (std::uint64_t i = 0; i < count; ++i) sum += take();
    return sum / static_cast<double>(count);
  }

  Mover& mover_;
  const Stage& stage_;
  Sink& sink_;
  thoroughness how_;
};

}  // namespace calib
