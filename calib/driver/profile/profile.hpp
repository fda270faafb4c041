// The profile of a machine: what `am-calibrate run` measures and keeps.
#pragma once

#include <calib/driver/measure/line_conditions.hpp>
#include <calib/driver/measure/measurement.hpp>
#include <calib/driver/profile/cross_checks.hpp>
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
  std::uint64_t messages;  // 0: the steady state
  double delay_ns;
  double ns;  // for each request, the delay included
};

// The costs of a piece of data, by its size: medians over launches.
struct sized_cost {
  std::string operation;  // store, get, medium
  std::size_t bytes;
  estimate o, g, T;  // ns; T: until it has arrived; that of a get includes its request
  std::optional<estimate> g_uncached = {};  // ns, of pieces that are in no cache; of some sizes

  // GB/s. Unknown where g, a difference of two measurements, is 0 or less.
  [[nodiscard]] logp::parameter bandwidth() const;
};

// The LogGP costs of an operation.
struct loggp_cost {
  std::string operation;
  estimate G;                               // ns/B, of the largest pieces
  estimate g0;                              // ns a piece besides its bytes, of the smallest pieces
  std::vector<logp::gap_segment> segments;  // through the medians
  std::optional<double> half_bandwidth_bytes;  // n_1/2
  std::optional<double> G_uncached = {};       // ns/B, of the largest pieces that are in no cache
};

struct layer_profile {
  measured_layer layer;  // libam over a transport, or a peer

  // Of libam the name of its transport, of a peer name_of().
  [[nodiscard]] std::string name() const;
  std::uint64_t window = 0;
  logp::summary logp;
  std::vector<signature_point> signature;  // by delay, then by number of messages
  std::vector<sized_cost> sizes;           // by operation, then by bytes
  std::vector<loggp_cost> loggp;           // by operation
  calib::cross_checks cross_checks;
  std::optional<estimate> wake_up{};  // ns by which a round trip to a peer that sleeps is longer
  // Of all samples, although those of other layers are of the profile's condition.
  bool of_all_conditions = false;

  // No cache line goes from one CPU to another, so no condition can be told from others.
  [[nodiscard]] bool is_of_one_cpu() const { return layer.transport == "self"; }
};

// The figures of the layers in one condition of the machine.
struct condition_profile {
  line_condition is;
  std::vector<layer_profile> layers;  // without those that have no line
};

struct profile : measurement {
  std::string fingerprint;   // of the machine, by fingerprint_of()
  bool has_runtime = false;  // libam can use what the file, from which it was read, has for it
  std::vector<layer_profile> layers;
  std::optional<line_condition> condition;  // for which the layers stand; none: for all samples
  std::vector<condition_profile> others;    // the less frequent conditions

  // For tables: which conditions there were, and the layers whose figures are of all of them;
  // empty: none is known.
  [[nodiscard]] std::string conditions_text() const;
};

// Sets the layers from the launches, and adds the remarks and failures that follow.
void analyse(profile& into);

}  // namespace calib
