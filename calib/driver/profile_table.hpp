// A profile for people.
#pragma once

#include <calib/driver/profile.hpp>

#include <string>

namespace calib {

// What must be said first, the parameters with their intervals, each layer's signature, where the
// time of a message goes, and what that comes to. `colour`: for a terminal.
std::string table_of(const profile& from, bool colour);

}  // namespace calib
