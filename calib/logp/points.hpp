// What one launch of a layer's LogP probes has found. All times in nanoseconds.
#pragma once

#include <calib/logp/prtt.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace calib::logp {

// The signature: M requests are issued from quiet, and after each `delay` is computed.
struct issue_point {
  std::uint64_t messages;  // M
  unsigned delay;          // number of the delay, 0: none
  double ns;               // for each request, the delay included
};

// The same once it goes on steadily: what a request takes then.
struct steady_point {
  double delay;  // as long as it was measured to be
  double ns;     // for each request, the delay included
};

// A piece of data of some size.
struct sized_point {
  std::string operation;  // store, get, medium
  std::size_t bytes;
  double o, g, trip;  // the sender's call; between pieces; until it is known to be there
};

struct points {
  double rtt = 0;              // back to back
  double answered_flood = 0;   // for each of many requests, until the last answer has been read
  std::uint64_t flood = 1;     // so many
  std::uint64_t window = 0;    // so many requests may be without an answer
  std::vector<double> delays;  // as long as they were measured to be, by number; the first is none
  std::vector<issue_point> signature;
  std::vector<steady_point> steady;   // by delay; the first has none
  bool alone = false;                 // the processor answers itself
  std::optional<double> stream_send;  // a request inside a stream, while no answer is looked for
  // Further apart than a round trip: what a message takes that is not answered, and what one takes
  // whose answer is read.
  double lone_send = 0;
  double lone_pair = 0;
  std::vector<sized_point> sizes;  // by operation, then by bytes
  std::vector<train> trains;       // of stores, by bytes
  double train_length = 0;         // so many pieces
  std::optional<double> exchange;  // of pieces of all kinds and sizes (calib/exchange.hpp)
};

// T(n): of a get with the question, otherwise without the answer.
inline double time_of(const sized_point& p, const points& of) {
  return p.operation == "get" ? p.trip : p.trip - of.rtt / 2;
}

}  // namespace calib::logp
