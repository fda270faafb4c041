// The key `validation` of a layer in a profile, written and read.
#pragma once

#include <calib/driver/output/json_field.hpp>
#include <calib/driver/profile/cross_checks.hpp>

namespace calib {

json json_of(const cross_checks& from);

// The form of this part is not defined: a check in another form than ours is left out.
cross_checks cross_checks_from(const json_field& validation);

}  // namespace calib
