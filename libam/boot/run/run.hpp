// Joins a job that am-run has started.
#pragma once

#include <libam/seam/boot.hpp>

#include <memory>
#include <string>

namespace am::detail::boot {

// Null and no `why`: am-run has not started this process. Null and one line: it has, but joining
// failed.
std::unique_ptr<seam::boot> join_run(std::string& why);

}  // namespace am::detail::boot
