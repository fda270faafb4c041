// The file that a profile is kept in, and the machine that it belongs to.
#pragma once

#include <calib/driver/measure/machine.hpp>
#include <calib/driver/profile/profile.hpp>

#include <optional>
#include <string>

namespace calib {

// $XDG_STATE_HOME/am/profile.json; for root /var/lib/am/profile.json, which every user reads.
std::string default_profile_path();

// False: nothing can be written there, and a message has said so.
bool can_keep_profile(const std::string& where);
// Writes the whole file or none of it, and says so. False: it could not.
bool keep_profile(const std::string& text, const std::string& where);

// No file: the default one. Nothing: a message has said why.
std::optional<profile> read_profile(const std::optional<std::string>& file);

// What figures depend on: CPU, cores, caches, hypervisor, kernel, libam and UCX.
std::string fingerprint_of(const machine& m);

}  // namespace calib
