// What `am-calibrate peers` has to say, before it is printed as a table or as JSON.
#pragma once

#include <calib/driver/carrier.hpp>
#include <calib/driver/machine.hpp>
#include <calib/driver/rounds.hpp>
#include <calib/driver/subject.hpp>
#include <calib/statistics.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace calib {

// The median over rounds of what one launch measured.
struct row {
  carrier who;
  subject about;
  std::string variant;  // the one that was best over all rounds
  estimate value;       // ns, or GB/s
  std::string remark;
};

// A layer's value by that of `against` over the same transport, in the same round; the median over
// rounds. Of times less is better, of rates more.
struct ratio {
  carrier who;
  carrier against;
  subject about;      // of the layer
  subject of_theirs;  // of `against`: flood for the limit of rr_flood
  estimate value;
};

// How much longer a piece of bulk data takes a layer than its transport's limit, in the same round.
struct excess {
  carrier who;
  carrier against;
  subject about;
  estimate ns;
};

struct conditions {
  plan planned;
  unsigned rounds = 0;
  bool ratios_reached = false;
  std::string clock;
  double clock_resolution_ns = 0;
  double clock_cost_ns = 0;
  std::vector<int> allowed_cpus;
  std::map<std::string, std::map<int, int>> pinning;  // name of a layer, rank, CPU
  bool cores_shared = false;
  std::string governor;
  double stolen = 0;
  double others = 0;
  double load_before = 0;
  double load_after = 0;
  double seconds = 0;
  std::map<std::string, std::map<std::string, std::string>> notes;  // its version, settings
  std::map<std::string, estimate> lone_after_flood;                 // in times of its rtt
};

struct result {
  calib::machine machine;
  calib::conditions conditions;
  bool complete = true;
  std::vector<row> rows;
  std::vector<ratio> ratios;
  std::vector<excess> excesses;
  std::vector<std::string> remarks;  // worth knowing
  std::vector<std::string> unfit;    // why these figures should not be used
  std::vector<std::string> failed;   // what of ours could not be measured
  std::vector<std::string> missing;  // layers that cannot be had here
  std::vector<launch> launches;      // every sample
};

}  // namespace calib
