// The remarks on the figures of `am-calibrate peers`, and the layers that failed.
#pragma once

#include <calib/driver/peers/medians.hpp>
#include <calib/driver/peers/result.hpp>

namespace calib {

// Adds to the remarks of `into`, whose rows are set. A layer without any row has failed.
void add_remarks(const median_map& all, result& into);

}  // namespace calib
