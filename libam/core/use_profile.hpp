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

// Before the first fence, which tells all ranks of a failure. Other ranks than 0 do nothing, and
// `out` stays where no profile is used; that is an error only where AM_PROFILE names the file.
am_status choose_by_profile(const base::settings& settings, const seam::boot& job,
                            const transport_set& transports, profile::answers& out);

}  // namespace am::detail::core
