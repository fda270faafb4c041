// What COMMTEST makes of the times of one experiment: T_N, the time for a volume in N packets.
//
// The counts are those of one process, whatever the protocol: N messages and `volume` bytes sent.
#pragma once

#include <cstddef>
#include <vector>

namespace calib {

struct swap_curve {
  double volume;                  // bytes
  std::vector<unsigned> packets;  // ascending, at least two
  std::vector<double> times;      // ns, for each of them
};

// ns for a message: (T_N2 - T_N1) / (N2 - N1) of the two largest packet counts.
double alpha_of(const swap_curve& of);

// ns for a byte: the least time, by the volume.
double beta_of(const swap_curve& of);

// Of an ordered protocol messages and volume are twice as many, so each takes half of alpha.
constexpr double latency_of(double alpha, bool ordered) { return ordered ? alpha / 2 : alpha; }
// GB/s of both processes together; of an ordered protocol only one sends at a time, so it is the
// idle bandwidth, too.
constexpr double swap_bandwidth_of(double beta) { return 2 / beta; }
// GB/s of one process that receives as much; of unordered protocols.
constexpr double busy_bandwidth_of(double beta) { return 1 / beta; }

// How far alpha * N + beta * volume is from T_N, as parts of T_N, over the packet counts of the
// dominant protocol of the library. Not an error of a fit.
struct model_error {
  double greatest = 0;
  double mean = 0;
  unsigned from = 0;  // packet counts
  unsigned to = 0;
};
model_error model_error_of(const swap_curve& of, double alpha, double beta);

// A library that changes its protocol, by the size of a packet, between two packet counts N1 and N2
// that follow each other is seen where the time changes by more than the model allows: T_N2 is
// further from the expected T_N1 + alpha * (N2 - N1) than a quarter of this. The dominant protocol
// is that of the most packet counts in a row; of two such, that of the smaller packets. Returns
// indexes: the first and the last.
struct index_range {
  std::size_t first;
  std::size_t last;
};
index_range dominant_range(const swap_curve& of, double alpha);

}  // namespace calib
