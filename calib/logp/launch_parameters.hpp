// The LogP parameters of one launch, from its signature by the method of Culler, Liu, Martin and
// Yoshikawa, "Assessing Fast Network Interfaces" (IEEE Micro, February 1996):
//
//   RTT = 2 (o_s + L + o_r)
//   in the steady state a request takes o_s + o_r + Idle = g; with a delay of more than Idle before
//   the next request it takes o_s + o_r + delay
//
// A layer that packs messages, or reads them in bursts, has two overheads. The overheads of lone
// messages, further apart than a round trip, determine L; the overheads inside a stream bound g.
#pragma once

#include <calib/logp/points.hpp>

#include <optional>

namespace calib::logp {

// No value: these points do not determine it.
struct launch_parameters {
  std::optional<double> o_s, o_r;
  std::optional<double> o_s_stream, o_r_stream;
  std::optional<double> g, L, rtt;
  double idle = 0;  // the part of g in which the processor waits

  bool streamed = false;  // there are points of a stream

  bool overhead_bound = false;  // Idle is about 0: the processor sets g
  bool window_bound = false;    // the window sets g: RTT / W
  // Messages of a stream share overheads, and those beside a delay are no stream: o_r_stream cannot
  // be known.
  bool shares_overheads = false;
  bool saturated = true;  // there were enough requests for the network to set the gap, as far
                          // as a flood was measured
};

launch_parameters parameters_of(const points& from);

// The signature as it is displayed. Where a request takes less than 20 times the clock's
// resolution, the point is the slope from M requests to the next larger number of requests, which
// cancels the constant cost of a batch.
std::vector<issue_point> signature_curve(const points& from, double resolution);

}  // namespace calib::logp
