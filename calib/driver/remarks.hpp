// What must be said about figures besides the figures.
#pragma once

#include <calib/driver/medians.hpp>
#include <calib/driver/result.hpp>

namespace calib {

// Adds to the remarks of `into`, whose rows are there; who has no row at all has failed.
void remark(const measured& all, result& into);

}  // namespace calib
