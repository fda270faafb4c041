// The layers over the transports, and those of them that can be started here.
#pragma once

#include <calib/driver/launch/launch.hpp>

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace calib {

struct transport {
  std::string_view name;
  std::string_view description;
  std::string_view bulk_limit;       // the layer that bulk data is compared with, mostly a limit
  unsigned sample_divisor;           // of the number of samples, because each takes longer
  std::chrono::seconds quick, full;  // the time limit once there are enough rounds
  bool built;                        // libam was built with it
};

// In the order of the tables.
std::span<const transport> transports();
const transport& transport_of(const measured_layer& layer);
measured_layer bulk_limit_of(const measured_layer& layer);

// The names of those that libam was built with.
std::vector<std::string> built_transports();

// All layers over all transports, in the order of the tables.
const std::vector<measured_layer>& measured_layers();

// "socket" for a layer that is there over one transport only, otherwise "mpich over shm", and
// "socket over other-host" for one that is measured in a job alone.
std::string name_of(const measured_layer& layer);

inline bool measures_only_bulk(const measured_layer& layer) {
  return layer.name == "limit-memcpy" || layer.name == "limit-copy" ||
         layer.name == "limit-socket-calls";
}

struct catalogue {
  std::vector<launch_spec> specs;
  std::vector<std::string> missing;        // a message for each layer that is not available here
  std::vector<std::string> missing_peers;  // the same for peers of find_signatures()
};

// For `am-calibrate peers`: the layers over these transports, or `layers` alone. Without `layers`
// those with only_if_named are left out, and without `bulk` those that measure only bulk data.
catalogue find_layers(const std::vector<std::string>& transport_names,
                      const std::vector<std::string>& layers, bool bulk);

// For `am-calibrate run`: the layers whose LogP signature is taken, libam's and its peers'.
std::vector<std::string> signature_transports();  // libam's names of its transports
std::vector<measured_layer> signature_layers();   // in the order of the tables
catalogue find_signatures(const std::vector<std::string>& transport_names);

// Whether a layer is also measured among several ranks, and those that are available here.
bool has_multi_rank(const measured_layer& layer);
std::vector<launch_spec> find_multi_rank(const std::vector<std::string>& transport_names,
                                         unsigned ranks);

}  // namespace calib
