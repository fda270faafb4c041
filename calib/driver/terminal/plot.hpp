// Charts drawn with characters, two beside each other, in 80 columns.
#pragma once

#include <calib/driver/output/chart.hpp>
#include <calib/driver/terminal/look.hpp>

#include <string>
#include <vector>

namespace calib::terminal {

// With a legend below them. Without intervals, for which the characters are too coarse.
std::string text_of(const std::vector<chart>& shown, const look& how);

}  // namespace calib::terminal
