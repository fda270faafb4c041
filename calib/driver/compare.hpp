// `am-calibrate compare`: two profiles side by side, and whether the second is worse.
#pragma once

#include <calib/driver/comparison.hpp>
#include <calib/driver/output.hpp>

#include <string>

namespace calib {

// The verdicts with the figures they are made of. `colour`: for a terminal.
std::string table_of(const comparison& from, bool colour);

// 0: the same or better, 1: worse, 2: one cannot be read, or nothing can be compared.
exit_status compare_files(const std::string& before, const std::string& after);

}  // namespace calib
