// The layout of a JSON document.
#pragma once

#include <calib/driver/output/json_field.hpp>

#include <string>

namespace calib {

// As dump(2), but an object or list that contains no other, or is short, stays on one line; a
// newline at the end.
std::string text_of(const json& value);

// A document on one line, without what each launch measured, which is most of it.
std::string brief(const std::string& document);

}  // namespace calib
