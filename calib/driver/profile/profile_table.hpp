// A profile for people.
#pragma once

#include <calib/driver/profile/profile.hpp>

#include <string>

namespace calib {

// Failures and remarks, the parameters with their intervals, the cross-checks, each layer's
// signature, and what the time of a message consists of. `colour`: for a terminal.
std::string table_of(const profile& from, bool colour);

// The part about cross-checks; empty if there are none.
std::string cross_checks_text(const profile& from);

}  // namespace calib
