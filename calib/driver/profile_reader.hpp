// A profile as it was kept, from its file (am-profile/1): what the table and the commands that
// compare and export need. Launches, the plan and windows stay in the file.
#pragma once

#include <calib/driver/profile.hpp>

#include <optional>
#include <string>

namespace calib {

// No profile: `trouble` says in a line why there is none.
std::optional<profile> profile_of(const std::string& text, std::string& trouble);

// Nothing: a line has said why. No file: the one that is kept as usual.
std::optional<profile> read_profile(const std::optional<std::string>& file);

}  // namespace calib
