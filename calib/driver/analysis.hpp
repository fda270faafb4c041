// From launches to rows, ratios and remarks. Works on what was measured alone, so that it can be
// tested without measuring.
#pragma once

#include <calib/driver/result.hpp>

namespace calib {

// How near a ratio's interval must come before rounds may end.
inline constexpr double ratio_within = 0.02;

// The part of `into` that follows from its launches: rows, ratios, pinning, notes and remarks.
void analyse(result& into);

// Are all ratios known to within ratio_within?
bool ratios_reached(const std::vector<launch>& launches);

}  // namespace calib
