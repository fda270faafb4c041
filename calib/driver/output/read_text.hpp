// Reads a file that a measurement has written.
#pragma once

#include <optional>
#include <string>

namespace calib {

// Nothing: `problem` says why.
std::optional<std::string> read_text(const std::string& file, std::string& problem);

}  // namespace calib
