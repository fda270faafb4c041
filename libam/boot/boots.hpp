// Which way of joining is the right one here.
#pragma once

#include <libam/base/settings.hpp>
#include <libam/seam/attempt.hpp>
#include <libam/seam/boot.hpp>

#include <memory>
#include <string>
#include <vector>

namespace am::detail::boot {

using seam::attempt;

// What the choice is made by.
inline constexpr const char* evidence[] = {
    "AM_BOOTSTRAP",         "AM_JOB_FD", "PMIX_NAMESPACE",      "PMIX_RANK",
    "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",  "SLURM_STEP_NUM_TASKS"};

// By what the launcher has left in the environment, unless AM_BOOTSTRAP says it. Null and one line
// if joining failed, or if this process is one of many and would join as one alone. `tried`, if
// somebody asks: every way up to the one taken.
std::unique_ptr<seam::boot> choose_boot(const base::settings& settings, std::string& why,
                                        std::vector<attempt>* tried = nullptr);

}  // namespace am::detail::boot
