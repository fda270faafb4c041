// The file that a profile is kept in, and the machine that it belongs to.
#pragma once

#include <calib/driver/measure/machine.hpp>
#include <calib/driver/profile/profile.hpp>

#include <optional>
#include <string>
#include <vector>

namespace calib {

// $XDG_STATE_HOME/am/profile.json; for root the one of the machine.
std::string default_profile_path();
// Where a profile is looked for: the user's own, then /var/lib/am/profile.json of the machine.
std::vector<std::string> profile_places();

// False: nothing can be written there, and a message has said so.
bool can_keep_profile(const std::string& where);
// Writes the whole file or none of it, and says so. False: it could not.
bool keep_profile(const std::string& text, const std::string& where);

// The first of profile_places() that is there. Nothing: a message has said so.
std::optional<std::string> find_kept_profile();
// No file: find_kept_profile(). Nothing: a message has said why.
std::optional<profile> read_profile(const std::optional<std::string>& file);
// The first of these places that has a profile with this fingerprint. Of a file that cannot be read
// a message says so.
std::optional<std::string> find_fitting_profile(const std::vector<std::string>& places,
                                                const std::string& fingerprint);

// What figures depend on: CPU, cores, caches, hypervisor, kernel, libam and UCX.
std::string fingerprint_of(const machine& m);

}  // namespace calib
