// Takes the measurements: a trial that tries every variant, then rounds in which every layer takes
// its turn, in an order shuffled anew for each round.
#pragma once

#include <calib/driver/launch.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace calib {

// How much is measured. After `least` rounds it ends when all ratios are known well enough, after
// `most` in any case; and after `least` rounds when `time` is up.
struct plan {
  unsigned samples;
  unsigned trial_samples;  // 0: there are no variants to try
  unsigned least;
  unsigned most;
  std::chrono::seconds time;
  std::uint64_t seed;
  std::vector<std::size_t> bytes;  // of pieces of bulk data; none: without it
  std::vector<std::string> transports;
  unsigned peer_rounds = 0;  // so many for peers, if there are more; 0: all
};
plan quick_plan(std::vector<std::string> transports);
plan full_plan(std::vector<std::string> transports);

struct campaign {
  std::vector<launch> launches;  // of the trial and of all rounds, as they were taken
  unsigned rounds = 0;           // complete ones
  bool complete = true;          // false: it ended early
};

// What a person may want to see meanwhile.
struct event {
  unsigned round;
  unsigned rounds;    // at most
  std::string name;   // of the layer
  std::string probe;  // "" while it starts
  double done;        // of all that there may be to do, 0 to 1
  double left;        // seconds, at most; below 0: not known yet
};
using watcher = std::function<void(const event&)>;

// `enough` is asked after each round from the least on.
campaign measure(const std::vector<way>& ways, const plan& plan, const watcher& watch,
                 const std::function<bool(const campaign&)>& enough);

}  // namespace calib
