// The parameters by PRTT beside ours, and which assumption of PRTT does not hold where they differ.
#pragma once

#include <calib/driver/profile/cross_checks.hpp>

#include <optional>
#include <span>

namespace calib {

// Nothing: no launch has figures of both methods.
std::optional<prtt_check> prtt_over(std::span<const logp::points> launches);

}  // namespace calib
