// What the JSON of all commands is made of.
#pragma once

#include <calib/driver/measurement.hpp>
#include <calib/format.hpp>
#include <calib/statistics.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace calib {

using json = nlohmann::ordered_json;

// An end of the interval, or null.
json bound(const estimate& e, double estimate::bounds::*which);

// A measured value.
json value_of(const estimate& e, const char* unit, const std::string& remark);

json machine_of(const machine& m);
// What was planned, under what it was made, what must be said of it, and every sample.
json conditions_of(const measurement& from, const char* statistics);

// As dump(2), but what holds nothing nested stays on one line; a newline at the end.
std::string text_of(const json& value);

}  // namespace calib
