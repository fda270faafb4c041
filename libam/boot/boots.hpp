// Which way of joining is the right one here.
#pragma once

#include <libam/base/settings.hpp>
#include <libam/seam/boot.hpp>

#include <memory>
#include <string>

namespace am::detail::boot {

// By what the launcher has left in the environment, unless AM_BOOTSTRAP says it. Null and one line
// if joining failed, or if this process is one of many and would join as one alone.
std::unique_ptr<seam::boot> choose_boot(const base::settings& settings, std::string& why);

}  // namespace am::detail::boot
