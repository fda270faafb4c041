// The parameters of LogP, read off one launch's signature by the method of Culler, Liu, Martin and
// Yoshikawa, "Assessing Fast Network Interfaces" (IEEE Micro, February 1996):
//
//   RTT = 2 (o_s + L + o_r)
//   steadily, a request takes o_s + o_r + Idle = g; with a delay of more than Idle before the next
//   it takes o_s + o_r + delay
//
// A layer that packs messages, or reads what has come in bursts, has two overheads. Those of lone
// messages, further apart than a round trip, make up L; those inside a stream bound g.
#pragma once

#include <calib/logp/points.hpp>

#include <optional>

namespace calib::logp {

// No value: it cannot be known from these points.
struct reading {
  std::optional<double> o_s, o_r;
  std::optional<double> o_s_stream, o_r_stream;
  std::optional<double> g, L;
  double rtt = 0;
  double idle = 0;  // of g, the processor waits so long

  bool overhead_bound = false;  // Idle is nothing: the processor sets g
  bool window_bound = false;    // the window sets g: RTT / W
  bool saturated = true;        // the requests were so many that the network set their pace
};

reading read(const points& from);

// The signature as it is to be shown. Where a call takes less than 20 of the clock's resolution the
// point is a slope, from M requests to the next larger number of them, so that what a batch takes
// besides is in both.
std::vector<issue_point> curve(const points& from, double resolution);

}  // namespace calib::logp
