// The machine and the conditions of a measurement as JSON, written and read: parts of the
// documents of both commands.
#pragma once

#include <calib/driver/measure/measurement.hpp>
#include <calib/driver/output/json_field.hpp>

namespace calib {

json machine_of(const machine& m);
// The plan, the environment, remarks and reasons against the figures, and every sample.
json conditions_of(const measurement& from, const char* statistics);

machine machine_from(const json_field& from);
// Which keys the conditions have is not defined, but a known key must have a value of its kind.
void read_conditions(const json_field& from, measurement& into);

}  // namespace calib
