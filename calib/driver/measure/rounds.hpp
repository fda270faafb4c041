// The schedule of launches: a trial of every variant, then rounds in which every layer has its
// turns, mostly one, in an order that is shuffled for each round.
#pragma once

#include <calib/driver/launch/launch.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace calib {

// How much is measured. From min_rounds on it ends when enough is known or the time is up, and
// after max_rounds in any case.
struct plan {
  unsigned samples;
  unsigned trial_samples;  // 0: there are no variants to try
  unsigned min_rounds;
  unsigned max_rounds;
  std::chrono::seconds time_limit;
  std::uint64_t seed;
  std::vector<std::size_t> bytes;  // of pieces of bulk data; none: without it
  std::vector<std::string> transports;
  unsigned peer_rounds = 0;  // peers take part in the first of these rounds only; 0: in all
  unsigned deadline = 120;   // seconds of a launch, or as many as it has samples
};

// For the ranks of a job, which must make the same launches in the same order: their number depends
// neither on the time nor on what one of them has measured.
plan in_step(plan of);

struct campaign {
  // Of the trial and of all rounds, in the order of time. The last one may have the fault
  // "stopped", and what it had measured by then.
  std::vector<launch> launches;
  unsigned rounds = 0;   // complete ones
  bool complete = true;  // false: the measurement ended early
};

// The state of a measurement, for a progress bar.
struct progress_event {
  unsigned round;
  unsigned rounds;    // at most
  std::string name;   // of the layer
  std::string probe;  // "" while it starts
  double done;        // the part of the whole measurement, 0 to 1
  double left;        // seconds, at most; below 0: not known yet
};
using progress_callback = std::function<void(const progress_event&)>;

// `enough` is called after each round from min_rounds on: is everything known well enough?
campaign measure(const std::vector<launch_spec>& specs, const plan& plan,
                 const progress_callback& on_progress,
                 const std::function<bool(const campaign&)>& enough);

}  // namespace calib
