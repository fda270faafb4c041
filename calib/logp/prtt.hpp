// A second opinion: the parameters by the method of Hoefler, Lichei and Rehm, "Low-Overhead LogGP
// Parameter Assessment for Modern Interconnection Networks" (PMEO-PDS 2007), as netgauge has it.
//
//   PRTT(n, d, s): n messages of s bytes with a computation of d between them, until the one answer
//   to the last has been read
//
//   o(s) = (PRTT(n, d, s) - PRTT(1, 0, s)) / (n - 1) - d,  with d = PRTT(1, 0, s)
//   g + (s - 1) G = (PRTT(n, 0, s) - PRTT(1, 0, s)) / (n - 1),  by least squares over s
#pragma once

#include <calib/logp/loggp.hpp>

#include <optional>
#include <span>

namespace calib::logp {

// What was found at one size, in ns.
struct train {
  double bytes;
  double one;       // PRTT(1, 0, s)
  double together;  // PRTT(n, 0, s)
  double spaced;    // PRTT(n, d, s)
  double delay;     // d, as long as it was measured to be
};

// Of trains of n messages.
double overhead_of(const train& from, double n);
sized_gap gap_of(const train& from, double n);

struct gap_line {
  double g, G;
};

// g and G through gaps, by whomever they were measured. Nothing: they are of fewer than two sizes.
std::optional<gap_line> gap_line_of(std::span<const sized_gap> gaps);

}  // namespace calib::logp
