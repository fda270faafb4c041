// AM_PROFILE: rank 0 reads the measured profile and chooses for all ranks; they get its answers
// with the handlers' digest (job_collectives.cpp), so ranks agree whatever files they can read.
#pragma once

#include <libam/base/settings.hpp>
#include <libam/core/transport_set.hpp>
#include <libam/profile/choices.hpp>
#include <libam/seam/boot.hpp>

#include <string>

namespace am::detail::core {

// Why no job with these settings uses a profile; empty: one on this host may.
std::string why_unused(const base::settings& settings);

// Other ranks than 0 choose nothing. A profile that cannot be used changes nothing: the log says
// why, as a warning where AM_PROFILE names the file.
profile::answers choose_by_profile(const base::settings& settings, const seam::boot& job,
                                   const transport_set& transports);

}  // namespace am::detail::core
