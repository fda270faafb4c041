// A profile as JSON, am-profile/1, with everything that was measured.
#pragma once

#include <calib/driver/profile.hpp>

#include <string>

namespace calib {

std::string json_of(const profile& from);

}  // namespace calib
