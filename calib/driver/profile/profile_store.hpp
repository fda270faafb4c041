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

struct kept_profile {
  std::string place;
  profile what;
};
// The first profile in these places that has this fingerprint, if possible one that libam can use;
// if none has it, the first one. Of a file that cannot be read a message says so.
std::optional<kept_profile> find_profile(const std::vector<std::string>& places,
                                         const std::string& fingerprint);
// The same for this machine. Nothing: a message has said why.
std::optional<kept_profile> find_kept_profile(
    const std::vector<std::string>& places = profile_places());
// No file: find_kept_profile(). Nothing: a message has said why.
std::optional<profile> read_profile(const std::optional<std::string>& file,
                                    const std::vector<std::string>& places = profile_places());
// "A or B".
std::string listed(const std::vector<std::string>& places);

// What figures depend on: CPU, cores, caches, hypervisor, kernel, libam and UCX.
std::string fingerprint_of(const machine& m);

}  // namespace calib
