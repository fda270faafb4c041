// Takes the points of the second opinion (logp/prtt.hpp): trains of pieces, each answered once at
// its end.
//
// It is told under these names, and as a note `train`, how many pieces one has:
//   prtt/OPERATION/BYTES/1   a single piece
//   prtt/OPERATION/BYTES/n   a train of them
//   prtt/OPERATION/BYTES/nd  one with computation between them, about as long as a single piece
//   prtt/OPERATION/BYTES/d   what that computation takes by itself
#pragma once

#include <calib/program/sizes.hpp>

#include <string>
#include <vector>

namespace calib {

template <moves_pieces Mover, probe::stages Stage, class Sink>
class prtt {
 public:
  prtt(Mover& mover, const Stage& stage, Sink& sink, const thoroughness& how)
      : mover_(mover), stage_(stage), sink_(sink), how_(how) {}

  void take() {
    sink_.note("train", std::to_string(pieces));
    for (const std::size_t bytes : {64U, 1024U, 16384U, 65536U}) {
      mover_.set(bytes);
      const std::string name = "prtt/" + mover_.name() + '/' + std::to_string(bytes);
      train(pieces, 0);  // the first of a size may prepare more than itself
      const double alone = train(1, 0);
      const double one = series(name + "/1", alone, [&] { return train(1, 0); });
      series(name + "/n", alone * pieces, [&] { return train(pieces, 0); });
      spaced(name, one);
      if (!mover_.intact()) sink_.lost(name);
    }
  }

 private:
  static constexpr unsigned pieces = 16;

  double train(std::uint64_t count, std::uint64_t steps) {
    return probe::once(stage_, [&] {
      for (std::uint64_t i = 0; i < count; ++i) {
        if (i > 0) stage_.compute(steps);
        mover_.move();
      }
      mover_.settle();
    });
  }

  // The overhead is what is left of two long times, so these are taken by turns.
  void spaced(const std::string& name, double ns) {
    const std::uint64_t steps = stage_.steps_for(ns);
    std::vector<double> with(how_.samples);
    std::vector<double> alone(how_.samples);
    sink_.begin(name + "/nd");
    for (unsigned i = 0; i < how_.samples; ++i) {
      alone[i] = probe::delay(stage_, pieces - 1, steps);
      with[i] = train(pieces, steps);
    }
    sink_.values(name + "/nd", with);
    sink_.values(name + "/d", alone);
  }

  // Each sample the mean of some that take about so long each.
  template <class Take>
  double series(const std::string& name, double ns, Take&& take) {
    const std::uint64_t count = how_.count_for(2 * ns, 20);
    return take_samples(sink_, how_.samples, name, [&] { return mean_of(count, take); });
  }

  Mover& mover_;
  const Stage& stage_;
  Sink& sink_;
  thoroughness how_;
};

}  // namespace calib
