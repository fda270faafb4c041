// What is measured: a layer over a transport. Its name says whose it is.
#pragma once

#include <compare>
#include <string>

namespace calib {

struct measured_layer {
  std::string name;
  std::string transport;

  auto operator<=>(const measured_layer&) const = default;
};

inline bool is_ours(const measured_layer& layer) { return layer.name.starts_with("am-"); }
inline bool is_limit(const measured_layer& layer) { return layer.name.starts_with("limit-"); }
inline bool is_peer(const measured_layer& layer) { return !is_ours(layer) && !is_limit(layer); }
// It limits only layers that use the same system calls: another method may be faster.
inline bool is_limit_of_one_method(const measured_layer& layer) {
  return layer.name == "limit-socket-calls";
}

}  // namespace calib
