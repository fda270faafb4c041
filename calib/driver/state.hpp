// Where profiles are kept, and which machine one is of.
#pragma once

#include <calib/driver/machine.hpp>

#include <string>

namespace calib {

// $XDG_STATE_HOME/am/profile.json; root's is every user's: /var/lib/am/profile.json.
std::string usual_profile();

// Says if nothing can be put there.
bool can_keep(const std::string& where);
// Puts it there whole or not at all, and says so. False: it could not.
bool keep_profile(const std::string& text, const std::string& where);

// What figures depend on: CPU, cores, caches, hypervisor, kernel, libam and UCX.
std::string fingerprint_of(const machine& m);

}  // namespace calib
