// A measured value as JSON, written and read, and the layout of a whole document.
#pragma once

#include <calib/driver/output/json_field.hpp>
#include <calib/statistics.hpp>

#include <optional>
#include <string>

namespace calib {

// As dump(2), but an object or list that contains no other stays on one line; a newline at the end.
std::string text_of(const json& value);

// An end of the interval, or null.
json bound(const estimate& e, double estimate::bounds::*which);

json value_of(const estimate& e, const char* unit, const std::string& remark);

// Nothing: it is not known.
std::optional<estimate> value_from(const json_field& from, const std::string& unit);
// One that must be known.
estimate known_from(const json_field& from, const std::string& unit);

}  // namespace calib
