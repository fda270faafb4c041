// am-info --profile: what AM_PROFILE chooses here, and by which figures.
#pragma once

#include <libam/base/settings.hpp>
#include <libam/profile/choices.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace am::detail::info {

// A broadcast of up to so many bytes.
struct broadcast_choice {
  std::size_t bytes;
  unsigned flat_ranks;             // profile::answers has what that means
  unsigned default_flat_ranks;     // without a profile
  std::optional<profile::hop> by;  // nothing: no message of this size was measured
};

struct barrier_choice {
  unsigned direct_ranks;                   // profile::answers has what that means
  unsigned default_direct_ranks;           // without a profile
  std::optional<profile::barrier_hop> by;  // nothing: the receiver's part is not known
};

// For how long a rank spins before it sleeps.
struct spin_choice {
  unsigned us;
  unsigned default_us;
  std::optional<double> wake_up_ns;  // nothing: it was not measured
};

struct profile_of_transport {
  std::string transport;
  std::string why_not;  // empty: the profile is used, and all of the rest is there
  std::vector<broadcast_choice> broadcasts;
  std::optional<barrier_choice> barrier;
  std::optional<spin_choice> spin;
};

// What is the same with a profile and without.
struct fixed_choice {
  std::string what;
  std::string how;
  std::string why;
};

struct profile_report {
  std::string setting;  // AM_PROFILE; of `off` the report is that of `auto`
  std::string file;     // empty: there is none
  std::vector<profile_of_transport> transports;
  std::vector<fixed_choice> fixed;
};

profile_report report_profile(const base::settings& settings);

std::string profile_text(const profile_report& report);

}  // namespace am::detail::info
