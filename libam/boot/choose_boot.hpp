// Chooses how this process joins its job.
#pragma once

#include <libam/base/settings.hpp>
#include <libam/seam/attempt.hpp>
#include <libam/seam/boot.hpp>

#include <memory>
#include <string>
#include <vector>

namespace am::detail::boot {

using seam::attempt;

// The environment variables that decide.
inline constexpr const char* consulted_variables[] = {
    "AM_BOOTSTRAP",         "AM_JOB_FD", "PMIX_NAMESPACE",      "PMIX_RANK",
    "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",  "SLURM_STEP_NUM_TASKS"};

// Joins by what the launcher has left in the environment, or as AM_BOOTSTRAP says. Null and one
// line if joining failed, or if this process is one of several and would join as a job of one.
// `tried`, unless null: every boot up to the one used.
std::unique_ptr<seam::boot> choose_boot(const base::settings& settings, std::string& why,
                                        std::vector<attempt>* tried = nullptr);

}  // namespace am::detail::boot
