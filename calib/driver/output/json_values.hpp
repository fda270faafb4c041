// A measured value as JSON, written and read, and the layout of a whole document.
#pragma once

#include <calib/driver/output/json_field.hpp>
#include <calib/statistics.hpp>

#include <optional>
#include <string>

namespace calib {

// As dump(2), but an object or list that contains no other stays on one line; a newline at the end.
std::string text_of(const json& value);

// The median under this key, and the ends of the interval, or nulls.
json bounded(const char* key, const estimate& e);

json value_of(const estimate& e, const char* unit, const std::string& remark);

// Nothing: it is not known.
std::optional<estimate> value_from(const json_field& from, const std::string& unit);
// One that must be known.
estimate known_from(const json_field& from, const std::string& unit);

}  // namespace calib
