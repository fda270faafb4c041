// What `am-calibrate peers` has to say, before it is printed as a table or as JSON.
#pragma once

#include <calib/driver/carrier.hpp>
#include <calib/driver/measurement.hpp>
#include <calib/driver/subject.hpp>
#include <calib/statistics.hpp>

#include <map>
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

struct result : measurement {
  bool ratios_reached = false;
  std::map<std::string, estimate> lone_after_flood;  // in times of its rtt
  std::vector<row> rows;
  std::vector<ratio> ratios;
  std::vector<excess> excesses;
};

}  // namespace calib
