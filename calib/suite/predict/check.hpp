// Predictions held against this machine, dialled to be the other one.
#pragma once

#include <calib/suite/predict/predicted.hpp>
#include <calib/suite/result.hpp>

#include <string>
#include <vector>

namespace calib::suite {

// Runs the programs with the inputs of the study, without a dial and with those of their set, in
// rounds. What would take longer than `longest_run` seconds is left out, and a remark says so; what
// is not here has failed.
void take_checks(const plan& planned, double longest_run, result& into);

// Sets what was seen, and names in `failed` what has not run to a right end with the dials.
void analyse_checks(result& into);

}  // namespace calib::suite
