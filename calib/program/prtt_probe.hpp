// Measures parametrised round-trip times (logp/prtt.hpp): n consecutive pieces with one reply after
// the last.
//
// Reported under these names, with n as the note `train`:
//   prtt/OPERATION/BYTES/1   a single piece
//   prtt/OPERATION/BYTES/n   n pieces
//   prtt/OPERATION/BYTES/nd  n pieces with computation between them, about as long as one piece
//   prtt/OPERATION/BYTES/d   that computation alone
// and what shows whether the assumptions of the method hold:
//   prtt/OPERATION/BYTES/g   the gap from piece n on
//   prtt/OPERATION/BYTES/o   the call for a piece that follows others at such distances
#pragma once

#include <calib/program/size_probe.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace calib {

template <piece_mover Mover, probe::processor_like Processor, class Sink>
class prtt_probe {
 public:
  prtt_probe(Mover& mover, const Processor& cpu, Sink& sink, const sample_plan& plan)
      : mover_(mover), cpu_(cpu), sink_(sink), plan_(plan) {}

  void measure() {
    sink_.note("train", std::to_string(pieces));
    for (const std::size_t bytes : {64U, 1024U, 16384U, 65536U}) {
      mover_.set(bytes);
      const std::string name = "prtt/" + mover_.name() + '/' + std::to_string(bytes);
      time_pieces(pieces, 0);  // the first use of a size may take longer
      const double alone = time_pieces(1, 0);
      const double one = sample_series(name + "/1", alone, [&] { return time_pieces(1, 0); });
      sample_series(name + "/n", alone * pieces, [&] { return time_pieces(pieces, 0); });
      sample_spaced(name, one);
      sample_gap_after_train(name, bytes);
      sample_call_after_others(name, one);
      if (!mover_.intact()) sink_.report_loss(name);
    }
  }

 private:
  static constexpr unsigned pieces = 16;

  double time_pieces(std::uint64_t count, std::uint64_t steps) {
    return probe::time_once(cpu_, [&] {
      for (std::uint64_t i = 0; i < count; ++i) {
        if (i > 0) cpu_.compute(steps);
        mover_.move();
      }
      mover_.wait_for_all();
    });
  }

  // The overhead is a small difference of two long times, so they are measured alternately.
  void sample_spaced(const std::string& name, double ns) {
    const std::uint64_t steps = cpu_.steps_for(ns);
    std::vector<double> with(plan_.samples);
    std::vector<double> alone(plan_.samples);
    sink_.begin(name + "/nd");
    cpu_states states(sink_);
    for (unsigned i = 0; i < plan_.samples; ++i) {
      alone[i] = probe::compute_time(cpu_, pieces - 1, steps);
      with[i] = time_pieces(pieces, steps);
      states.take();
    }
    sink_.values(name + "/nd", with);
    states.report(name + "/nd");
    sink_.values(name + "/d", alone);
    states.report(name + "/d");
  }

  void sample_gap_after_train(const std::string& name, std::size_t bytes) {
    const std::uint64_t many = pieces + std::clamp<std::uint64_t>(1048576 / bytes, 48, 480);
    take_samples(sink_, plan_.samples, name + "/g", [&] {
      const double train = time_pieces(pieces, 0);
      return (time_pieces(many, 0) - train) / static_cast<double>(many - pieces);
    });
  }

  // As the overhead of a piece on an idle layer is measured (size_probe.hpp).
  void sample_call_after_others(const std::string& name, double ns) {
    constexpr int others = 4;
    const std::uint64_t steps = cpu_.steps_for(ns);
    const std::uint64_t count = plan_.count_for((others + 3) * ns, 20);
    const auto time_behind_others = [&] {
      for (int i = 0; i < others; ++i) {
        mover_.move();
        cpu_.compute(steps);
      }
      return time_call(mover_, cpu_, steps);
    };
    take_samples(sink_, plan_.samples, name + "/o",
                 [&] { return mean_of(count, time_behind_others); });
  }

  // Each sample is the mean of several times of about `ns`.
  template <class Take>
  double sample_series(const std::string& name, double ns, Take&& take) {
    const std::uint64_t count = plan_.count_for(2 * ns, 20);
    return take_samples(sink_, plan_.samples, name, [&] { return mean_of(count, take); });
  }

  Mover& mover_;
  const Processor& cpu_;
  Sink& sink_;
  sample_plan plan_;
};

}  // namespace calib
