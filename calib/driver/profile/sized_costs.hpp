// The costs of pieces of data by their size, and LogGP's G and g0, from the launches of one layer.
#pragma once

#include <calib/driver/profile/profile.hpp>

#include <optional>
#include <string>
#include <vector>

namespace calib {

// The smallest size with half of the largest bandwidth. Between two measured sizes the gap is
// interpolated linearly. Nothing: no bandwidth is known.
std::optional<double> half_bandwidth(const std::vector<sized_cost>& sizes,
                                     const std::string& operation);

// Of the largest pieces that are in no cache, from the medians. Nothing: none was measured.
std::optional<double> G_uncached(const std::vector<sized_cost>& sizes,
                                 const std::string& operation);

// Sets `sizes` and `loggp`.
void add_sizes(const std::vector<logp::points>& launches, layer_profile& into);

}  // namespace calib
