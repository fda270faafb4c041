// From what a layer program has reported to the points from which LogP is read.
#pragma once

#include <calib/driver/launch/launch.hpp>
#include <calib/logp/points.hpp>

namespace calib {

// Of a launch that took a signature (program/signature_probe.hpp).
logp::points points_of(const launch& from);

}  // namespace calib
