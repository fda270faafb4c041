// The result for people.
#pragma once

#include <calib/driver/result.hpp>

#include <string>

namespace calib {

// The tables of each transport, what the figures mean, and the remarks. `colour`: for a terminal.
std::string table_of(const result& from, bool colour);

}  // namespace calib
