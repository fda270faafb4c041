// The study of sensitivity: libam's programs with one dial after the other turned through values.
#pragma once

#include <calib/driver/dials/dial_values.hpp>
#include <calib/suite/result.hpp>

#include <vector>

namespace calib::suite {

// Without a dial: the base, in which the apparatus of dials is (docs/dials.md).
inline constexpr char no_dial[] = "0";

// Runs each program once without a dial, by which its time at each value is predicted, and then all
// in rounds, also without AM_DIAL. A value at which a run would take longer than `longest_run`
// seconds is left out, and a remark says so. `into.entries` are those without a dial. False: there
// is nothing to measure, and a message has said so.
bool take_study(const selection& of, const std::vector<dial>& dials, const plan& planned,
                double longest_run, result& into);

// What makes dialled programs slower than they should be: more ranks than CPUs, and others.
void remark_on_sharing(result& into);

// Sets the sensitivities, and names in `failed` what has not run to a right end with a dial.
void analyse_study(const std::vector<dial>& dials, result& into);

}  // namespace calib::suite
