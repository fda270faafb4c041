// What `am-calibrate run` finds out about a machine, and what it keeps: its profile.
#pragma once

#include <calib/driver/carrier.hpp>
#include <calib/driver/rounds.hpp>
#include <calib/driver/surroundings.hpp>
#include <calib/logp/summary.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace calib {

// A point of a signature: the median over launches.
struct signature_point {
  std::uint64_t messages;  // 0: going on steadily
  double delay_ns;
  double ns;  // for each request, the delay included
};

struct layer_profile {
  carrier who;
  std::uint64_t window = 0;
  logp::summary logp;
  std::vector<signature_point> signature;  // by delay, then by number of messages
  std::vector<double> spreads;             // of rtt and g: quartiles within a launch, in parts
};

struct profile : judgement {
  calib::machine machine;
  std::string fingerprint;  // of the machine: whether a profile is of this one
  surroundings at;
  plan planned;
  unsigned rounds = 0;
  bool complete = true;
  std::vector<layer_profile> layers;
  std::vector<std::string> missing;
  std::vector<launch> launches;
};

// The layers, from the launches.
void analyse(profile& into);

}  // namespace calib
