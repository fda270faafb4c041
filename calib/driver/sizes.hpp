// What pieces of data cost by their size, from the launches of one layer.
#pragma once

#include <calib/driver/profile.hpp>

#include <optional>
#include <string>
#include <vector>

namespace calib {

// The size at which half of the largest bandwidth is reached first. Between two sizes that were
// measured the gap is on a line. Unknown where no bandwidth is known.
std::optional<double> half_bandwidth(const std::vector<sized_cost>& sizes,
                                     const std::string& operation);

void add_sizes(const std::vector<logp::points>& launches, layer_profile& into);

}  // namespace calib
