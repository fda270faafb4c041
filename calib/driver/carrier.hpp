// Who a figure is of: a layer over one transport.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace calib {

struct carrier {
  std::string layer;
  std::string transport;

  auto operator<=>(const carrier&) const = default;
};

inline bool is_limit(const carrier& who) { return who.layer.starts_with("limit-"); }
// Of one way to do it: who does it in another way may be faster.
inline bool is_of_one_way(const carrier& who) { return who.layer == "limit-socket-calls"; }
inline bool is_ours(const carrier& who) { return who.layer.starts_with("am-"); }

}  // namespace calib
