// What LogP and LogGP are held against, for people.
#pragma once

#include <calib/driver/profile.hpp>

#include <string>

namespace calib {

// A paragraph for each layer; empty if there is nothing to say.
std::string opinions_text(const profile& from);

}  // namespace calib
