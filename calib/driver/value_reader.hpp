// A measured value, read.
#pragma once

#include <calib/driver/json_field.hpp>
#include <calib/statistics.hpp>

#include <optional>
#include <string>

namespace calib {

// Nothing: it is not known.
std::optional<estimate> value_from(const json_field& from, const std::string& unit);

// One that must be known.
estimate known_from(const json_field& from, const std::string& unit);

}  // namespace calib
