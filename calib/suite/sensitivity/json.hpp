// A study of sensitivity as JSON.
#pragma once

#include <calib/driver/output/json_field.hpp>
#include <calib/suite/result.hpp>

namespace calib::suite {

// The program of a row, and how it is run.
json identified(const entry& of);

json sensitivities_of(const result& from);

}  // namespace calib::suite
