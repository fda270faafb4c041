// A cross-check: the parameters by the method of Hoefler, Lichei and Rehm, "Low-Overhead LogGP
// Parameter Assessment for Modern Interconnection Networks" (PMEO-PDS 2007), as netgauge implements
// it.
//
//   PRTT(n, d, s): the parametrised round-trip time: n messages of s bytes with a computation of d
//   between them, until the reply to the last message has been read
//
//   o(s) = (PRTT(n, d, s) - PRTT(1, 0, s)) / (n - 1) - d,  with d = PRTT(1, 0, s)
//   g + (s - 1) G = (PRTT(n, 0, s) - PRTT(1, 0, s)) / (n - 1),  by least squares over s
#pragma once

#include <calib/logp/loggp.hpp>

#include <optional>
#include <span>

namespace calib::logp {

// Measured at one size, in ns.
struct prtt_times {
  double bytes;
  double one;       // PRTT(1, 0, s)
  double together;  // PRTT(n, 0, s)
  double spaced;    // PRTT(n, d, s)
  double delay;     // d, as measured
  // Not of the method. Nothing: not measured.
  std::optional<double> o_after_others = {};   // the call for a piece that follows others, d apart
  std::optional<double> gap_after_train = {};  // from piece n on
};

// From times of n messages.
double overhead_of(const prtt_times& from, double n);
sized_gap gap_of(const prtt_times& from, double n);

struct gap_fit {
  double g, G;
};

// g and G fitted to gaps, of any method. Nothing: the gaps have fewer than two sizes.
std::optional<gap_fit> fit_gaps(std::span<const sized_gap> gaps);

}  // namespace calib::logp
