// `am-calibrate show`: a profile that was kept, as the table that `run` prints.
#pragma once

#include <calib/driver/output.hpp>

#include <optional>
#include <string>

namespace calib {

// No file: the one that is kept as usual.
exit_status show(const std::optional<std::string>& file);

}  // namespace calib
