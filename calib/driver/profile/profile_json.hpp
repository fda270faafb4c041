// A profile as JSON, am-profile/1: written with everything that was measured; read as far as the
// tables, compare and export need it, without launches, plan and windows.
#pragma once

#include <calib/driver/profile/profile.hpp>

#include <optional>
#include <string>

namespace calib {

std::string json_of(const profile& from);

// Nothing: `problem` says in one line why.
std::optional<profile> parse_profile(const std::string& text, std::string& problem);

// docs/am-profile.schema.json.
std::string profile_schema();

}  // namespace calib
