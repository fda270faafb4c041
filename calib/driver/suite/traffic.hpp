// How long the programs of the suite take, and what their ranks communicate.
#pragma once

#include <calib/driver/output/grid.hpp>
#include <calib/driver/suite/entry.hpp>
#include <calib/statistics.hpp>

#include <string>
#include <vector>

namespace calib::suite {

// The median over the rounds of one figure of a program.
struct row {
  suite::entry entry;
  std::string phase;  // "total", or one of the program's
  estimate ns;
};

// What a rank communicates, on average: of libam's programs, which count.
struct traffic_row {
  suite::entry entry;
  double messages = 0;
  double bulk_messages = 0;
  double bulk_bytes = 0;
  double reads = 0;
  double barriers = 0;
};

// The columns of ISCA'97, of libam's programs on so many ranks.
grid traffic_grid(const std::vector<row>& times, const std::vector<traffic_row>& traffic,
                  unsigned ranks, bool colour);

}  // namespace calib::suite
