// What pieces of data cost by their size, from the launches of one layer.
#pragma once

#include <calib/driver/profile.hpp>

#include <vector>

namespace calib {

void add_sizes(const std::vector<logp::points>& launches, layer_profile& into);

}  // namespace calib
