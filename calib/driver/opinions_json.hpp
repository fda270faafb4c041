// The part of a layer's profile that is called `validation`.
#pragma once

#include <calib/driver/json_parts.hpp>
#include <calib/driver/opinions.hpp>

namespace calib {

json json_of(const opinions& from);

}  // namespace calib
