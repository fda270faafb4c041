// From what a layer program has said to the points from which LogP is read.
#pragma once

#include <calib/driver/launch.hpp>
#include <calib/logp/points.hpp>

namespace calib {

// Of a launch that took a signature (program/signature.hpp).
logp::points points_of(const launch& from);

}  // namespace calib
