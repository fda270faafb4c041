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

struct profile_of_transport {
  std::string transport;
  std::string why_not;  // empty: the profile is used
  std::vector<broadcast_choice> broadcasts;
};

struct profile_report {
  std::string setting;  // AM_PROFILE; of `off` the report is that of `auto`
  std::string file;     // empty: there is none
  std::vector<profile_of_transport> transports;
};

profile_report report_profile(const base::settings& settings);

std::string profile_text(const profile_report& report);

}  // namespace am::detail::info
