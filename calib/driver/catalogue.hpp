// Which layers there are for a transport, and how each is started.
#pragma once

#include <calib/driver/launch.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace calib {

struct catalogue {
  std::vector<way> ways;
  std::vector<std::string> missing;  // one line for each layer that cannot be had here
};

// Layers over shared memory, in the order of the table.
const std::vector<std::string>& layers_of_shm();

inline bool is_limit(std::string_view layer) { return layer.starts_with("limit-"); }
inline bool is_ours(std::string_view layer) { return layer.starts_with("am-"); }

// Those that measure nothing but bulk data.
inline bool is_bulk_alone(std::string_view layer) {
  return layer == "limit-memcpy" || layer == "limit-copy";
}

// `layers` restricts to these; empty: all. Without `bulk` those that measure nothing else are left
// out.
catalogue find_layers(const std::vector<std::string>& layers, bool bulk);

}  // namespace calib
