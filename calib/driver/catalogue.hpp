// Which layers there are over which transport, and how each is started.
#pragma once

#include <calib/driver/carrier.hpp>
#include <calib/driver/launch.hpp>

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace calib {

struct transport {
  std::string_view name;
  std::string_view medium;      // as people say it
  std::string_view bulk_limit;  // the layer that bulk data is held against, mostly a limit
  unsigned part;                // it takes one of so many of the samples, because each lasts longer
  std::chrono::seconds quick, full;  // how long it may be measured once there are enough rounds
  bool built;                        // libam has it
};

// In the order of the tables.
std::span<const transport> transports();
const transport& transport_of(const carrier& who);
carrier bulk_limit_of(const carrier& who);

// Those that libam was built with.
std::vector<std::string> built_transports();

// All layers over all transports, in the order of the tables.
const std::vector<carrier>& carriers();

// The layer alone if it is there over one transport only; "mpich over shm".
std::string name_of(const carrier& who);

// Those that measure nothing but bulk data.
inline bool is_bulk_alone(const carrier& who) {
  return who.layer == "limit-memcpy" || who.layer == "limit-copy" ||
         who.layer == "limit-socket-calls";
}

struct catalogue {
  std::vector<way> ways;
  std::vector<std::string> missing;  // one line for each layer that cannot be had here
  std::vector<std::string> absent;   // the same of peers, where nobody asked for them
};

// `over` and `layers` restrict to these; no layers: all but those that are measured only when they
// are named. Without `bulk` those that measure nothing else are left out.
catalogue find_layers(const std::vector<std::string>& over, const std::vector<std::string>& layers,
                      bool bulk);

// The transports of libam, as it names them itself, and how the LogP signature of each is taken; of
// its peers over the same transports, too.
std::vector<std::string> signed_transports();
std::vector<carrier> signed_layers();  // in the order of the tables
catalogue find_signatures(const std::vector<std::string>& over);

// Whether a layer is also measured among several ranks, and how that is started. Of what cannot be
// had find_signatures has spoken.
bool has_crews(const carrier& who);
std::vector<way> find_crews(const std::vector<std::string>& over, unsigned ranks);

}  // namespace calib
