// The result of `am-calibrate peers` for programs: schema am-peers/1.
#pragma once

#include <calib/driver/peers/result.hpp>

#include <string>

namespace calib {

std::string json_of(const result& from);

}  // namespace calib
