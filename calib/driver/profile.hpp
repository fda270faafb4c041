// What `am-calibrate run` finds out about a machine, and what it keeps: its profile.
#pragma once

#include <calib/driver/carrier.hpp>
#include <calib/driver/measurement.hpp>
#include <calib/driver/opinions.hpp>
#include <calib/logp/loggp.hpp>
#include <calib/logp/summary.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace calib {

// A point of a signature: the median over launches.
struct signature_point {
  std::uint64_t messages;  // 0: going on steadily
  double delay_ns;
  double ns;  // for each request, the delay included
};

// A piece of data of some size: medians over launches.
struct sized_cost {
  std::string operation;  // store, get, medium
  std::size_t bytes;
  estimate o, g, T;  // ns; T: until it is there, of a get with the question

  // GB/s. Unknown where g, a difference of two measurements, came out as no time at all.
  [[nodiscard]] logp::parameter bandwidth() const;
};

// What a byte costs, by operation.
struct loggp_cost {
  std::string operation;
  estimate G;   // ns/B, of the largest pieces
  estimate g0;  // ns, what a piece costs besides its bytes, where pieces are smallest
  std::vector<logp::segment> segments;         // through the medians
  std::optional<double> half_bandwidth_bytes;  // n_1/2
};

struct layer_profile {
  carrier who;  // ours, or a peer

  // libam goes by the name of its transport.
  [[nodiscard]] std::string name() const;
  std::uint64_t window = 0;
  logp::summary logp;
  std::vector<signature_point> signature;  // by delay, then by number of messages
  std::vector<sized_cost> sizes;           // by operation, then by bytes
  std::vector<loggp_cost> loggp;           // by operation
  calib::opinions opinions;
};

struct profile : measurement {
  std::string fingerprint;  // of the machine: whether a profile is of this one
  std::vector<layer_profile> layers;
};

// The layers, from the launches.
void analyse(profile& into);

}  // namespace calib
