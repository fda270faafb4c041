// The results of the LogP probes in one launch of a layer. All times in nanoseconds. A launch may
// lack some of them: then its host moved the CPUs meanwhile.
#pragma once

#include <calib/logp/prtt.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace calib::logp {

// The signature: M requests that start on an idle layer, each followed by a computation of `delay`.
struct issue_point {
  std::uint64_t messages;  // M
  unsigned delay;          // index of the delay, 0: none
  double ns;               // per request, including the delay
};

// The same in the steady state.
struct steady_point {
  double delay;  // as measured
  double ns;     // per request, including the delay
};

// A piece of data of some size.
struct sized_point {
  std::string operation;  // store, get, medium
  std::size_t bytes;
  double o, g, trip;  // the sender's call; between pieces; until the arrival is confirmed
  std::optional<double> g_uncached = {};  // between pieces that are in no cache
};

struct points {
  std::optional<double> rtt;  // back to back
  std::optional<double>
      answered_flood;          // per request, until the last reply of a flood has been read
  std::uint64_t flood = 1;     // requests of that flood
  std::uint64_t window = 0;    // the limit of outstanding requests
  std::vector<double> delays;  // as measured; index 0 is no delay
  std::vector<issue_point> signature;
  std::vector<steady_point> steady;   // by delay; the first has none
  bool over_self = false;             // one process is requester and responder
  std::optional<double> stream_send;  // a request inside a stream, without a poll for replies
  // Messages further apart than a round trip: without and with reading the reply.
  std::optional<double> lone_send, lone_pair;
  std::vector<sized_point> sizes;  // by operation, then by bytes
  std::vector<prtt_times> prtt;    // of stores, by bytes
  double prtt_messages = 0;        // pieces of one PRTT
  std::optional<double> exchange;  // calib/exchange.hpp
  std::optional<double> wake_up;   // a round trip to a peer that sleeps
  std::optional<double> exchange_uncached;
  std::optional<double> overlap;  // of the two directions (loggp.hpp)

  [[nodiscard]] std::vector<sized_point> sizes_of(const std::string& operation) const {
    std::vector<sized_point> out;
    std::ranges::copy_if(sizes, std::back_inserter(out),
                         [&](const sized_point& p) { return p.operation == operation; });
    return out;
  }
};

// T(n): a get includes the time of its request; otherwise the time of the reply is subtracted,
// which must be known.
inline double delivery_time(const sized_point& p, const points& of) {
  return p.operation == "get" ? p.trip : p.trip - of.rtt.value() / 2;
}

}  // namespace calib::logp
