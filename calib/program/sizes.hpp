// Takes the points from which LogGP is read: for pieces of several sizes what the sender's call
// takes (o), how close they follow each other (g), and when one is there (T).
//
// It is told under these names, OPERATION being store, get or medium:
//   size/OPERATION/BYTES/o  size/OPERATION/BYTES/g  size/OPERATION/BYTES/trip
#pragma once

#include <calib/program/issue_probes.hpp>
#include <calib/program/pieces.hpp>
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
    go_round();
    for (const std::size_t bytes : mover_.sizes()) {
      mover_.set(bytes);
      const std::string name = "size/" + mover_.name() + '/' + std::to_string(bytes);
      trip();  // the first of a size may prepare more than itself
      const double once = trip();
      const std::uint64_t pieces = enough(bytes);
      take_samples(sink_, how_.samples, name + "/g", [&] { return gap(pieces); });
      take_samples(sink_, how_.samples, name + "/trip",
                   [&] { return mean_of(how_.count_for(2 * once, 20), [&] { return trip(); }); });
      take_samples(sink_, how_.samples, name + "/o", [&] {
        return mean_of(how_.count_for(3 * once, 20), [&] { return overhead(once); });
      });
      if (!mover_.intact()) sink_.lost(name);
    }
  }

 private:
  // Memory that is used for the first time takes longer: a fault for each page.
  void go_round() {
    const std::size_t largest = mover_.sizes().back();
    mover_.set(largest);
    batch(pieces_room / largest);
  }

  double trip() { return batch(1); }

  double batch(std::uint64_t pieces) {
    return probe::once(stage_, [&] {
      for (std::uint64_t i = 0; i < pieces; ++i) mover_.move();
      mover_.settle();
    });
  }

  // So many that they and twice as many take as long as a sample may, if that is some. No place of
  // the memory is used twice before its piece has been looked at.
  std::uint64_t enough(std::size_t bytes) {
    constexpr std::uint64_t some = 4;
    const std::uint64_t most = std::clamp<std::uint64_t>(pieces_room / 2 / bytes, some, 1000);
    std::uint64_t pieces = some;
    // What each takes is known the better, the more there are.
    for (int i = 0; i < 3; ++i) {
      const double each = batch(pieces) / static_cast<double>(pieces);
      pieces = std::max(how_.count_for(3 * each, most), some);
    }
    return pieces;
  }

  // What as many more take: the call of the first and the way of the last are in both.
  double gap(std::uint64_t pieces) {
    const double some = batch(pieces);
    return (batch(2 * pieces) - some) / static_cast<double>(pieces);
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

  Mover& mover_;
  const Stage& stage_;
  Sink& sink_;
  thoroughness how_;
};

}  // namespace calib
