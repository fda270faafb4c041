// Predictions as tables and as JSON.
#pragma once

#include <calib/driver/output/grid.hpp>
#include <calib/driver/output/json_field.hpp>
#include <calib/suite/result.hpp>

#include <string>

namespace calib::suite {

std::string prediction_table(const result& from, bool colour);
json predictions_of(const result& from);

}  // namespace calib::suite
